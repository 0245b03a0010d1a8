import type { Finding } from '@flotilla/contract/site/doctor'
import { EnvironmentError, parseEnvironment } from '../config'
import { probeDatabase } from '../db/connection/probe'
import { findEngines } from '../doctor/engine'
import { findStorage } from '../doctor/machine'
import { makeClouds } from '../modules/clouds/clouds'
import { simulatedCloudProgram, simulatedPackerProgram } from '../programs'
import { findProgram, programs } from '../doctor/programs'
import { findDatabase, findMailOfEnvironment } from '../doctor/services'

const standIns = { simulatedCloud: simulatedCloudProgram, simulatedPacker: simulatedPackerProgram }
const signs: Record<Finding['state'], string> = { found: 'ok     ', missing: 'missing', trouble: 'check  ' }

/** Runs without the server, for when that does not start or has never been started. */
async function main(): Promise<void> {
  const config = parseEnvironment(process.env)
  const storage = await findStorage(config.dataDir, config.masterKeyFile).catch((): Finding[] => [])
  const findings = [
    await findDatabase(() => probeDatabase(config.databaseUrl)),
    ...storage,
    ...(await findEngines(makeClouds(config, standIns))),
    ...(await Promise.all(programs.map(findProgram))),
    await findMailOfEnvironment(config.smtpUrl),
  ]
  console.log(`Node ${process.versions.node} on ${process.platform} ${process.arch}`)
  if (config.simulated) console.log('CLOUD=simulated: no real cloud is ever contacted.')
  if (storage.length === 0)
    console.log('The console has not been started here yet, so there is no data folder.')
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
