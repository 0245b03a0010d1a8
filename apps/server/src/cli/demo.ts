import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { ApiError } from '@flotilla/client/api-error'
import { parseEnvironment } from '../config'
import { explain, messageOf } from '../explain'
import { startServer } from '../server'
import { startTraffic } from './demo/live'
import { startMailServer } from './demo/mail-server'
import { PASSWORD, people, seedPeople } from './demo/people'
import { seed } from './demo/seed'
import { labelSite } from './demo/site'

const WEB_FOLDER = path.resolve(import.meta.dirname, '../../../web/dist')
/** The simulated clouds run fast here: the demo shows the result, not the process. */
process.env.SIMULATED_CLOUD_PACE ??= '0.1'

const print = (text: string) => process.stdout.write(`${text}\n`)

const explainFailure = (error: unknown): string =>
  error instanceof ApiError
    ? [error.message, ...Object.entries(error.fields).map((field) => field.join(': '))].join(', ')
    : explain(error)

async function main(): Promise<void> {
  const given = {
    DATA_DIR: './data/demo',
    CLOUD: 'simulated',
    ADMIN_PASSWORD: PASSWORD,
    LOG_LEVEL: 'warn',
    ...process.env,
  }
  const { dataDir } = parseEnvironment(given)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await labelSite(dataDir)
  const config = parseEnvironment({
    SMTP_URL: await startMailServer(path.join(dataDir, 'mail')),
    ...given,
  })
  const server = await startServer(config, existsSync(WEB_FOLDER) ? WEB_FOLDER : null)
  let stopTraffic = (): void => {}
  const stop = () => {
    stopTraffic()
    void server.stop().then(() => process.exit(0))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  await seedPeople(server, Date.now())
  const names = people.map(
    ({ username, firstName, lastName, role }) =>
      `    ${username.padEnd(8)} ${`${firstName} ${lastName}`.padEnd(16)} ${role.join(', ')}`,
  )
  print(`
  The demo is at ${server.url}. Clusters, jobs and sixty days of usage appear within a minute or two.
  Everyone's password is ${PASSWORD}
    admin    Site Admin       admin, user
${names.join('\n')}
  Press Ctrl+C to stop it.
`)
  try {
    const site = await seed({ ...server, config })
    const { sessionCode } = site.workshop
    print(
      `  All of the demo data is there. Join its workshop at ${server.url}/training-login with the session code ${sessionCode}`,
    )
    stopTraffic = startTraffic(server.db, site)
  } catch (error) {
    print(`  Some of the demo data could not be created: ${explainFailure(error)}`)
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`\n${messageOf(error)}\n`)
  process.exit(1)
})
