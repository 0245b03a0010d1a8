import type { Finding } from '@flotilla/contract/doctor'
import { EnvironmentError, parseEnvironment } from '../config'
import { findEngine } from '../doctor/engine'
import { findStorage } from '../doctor/machine'
import { findProgram, programs } from '../doctor/programs'
import { findTofu } from '../engines/find'

const signs: Record<Finding['state'], string> = { found: 'ok     ', missing: 'missing', trouble: 'look at' }

/** Without the server: it is for when that does not start, or before it ever did. */
async function main(): Promise<void> {
  const { dataDir, masterKeyFile, tofuBin, packerBin } = parseEnvironment(process.env)
  const storage = await findStorage(dataDir, masterKeyFile).catch((): Finding[] => [])
  const findings = [
    ...storage,
    await findEngine(() => findTofu({ tofuBin, env: process.env })),
    ...(await Promise.all(
      programs.map((program) => findProgram(program, program.part === 'Packer' ? packerBin : undefined)),
    )),
  ]
  console.log(`Node ${process.versions.node} on ${process.platform} ${process.arch}`)
  if (storage.length === 0) console.log('The console has not been started here yet: there is no data folder.')
  for (const { part, state, version, message, neededFor, advice } of findings) {
    console.log(`\n${signs[state]}  ${part}${version === null ? '' : ` ${version}`}: ${message}`)
    console.log(`         needed for ${neededFor}`)
    for (const line of advice) console.log(`         ${line}`)
  }
}

try {
  await main()
} catch (error) {
  console.error(error instanceof EnvironmentError ? error.message : error)
  process.exitCode = 1
}
