import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Role } from '@flotilla/contract/access'
import { parseEnvironment } from '../config'
import { seedThings } from './demo/things'
import { startServer, type RunningServer } from '../server'

const WEB_FOLDER = path.resolve(import.meta.dirname, '../../../web/dist')
const PASSWORD = 'Demo!2026'
const people: { username: string; firstName: string; lastName: string; role: Role[] }[] = [
  { username: 'grace', firstName: 'Grace', lastName: 'Hopper', role: ['admin', 'user'] },
  { username: 'maria', firstName: 'Maria', lastName: 'Mitchell', role: ['instructor', 'user'] },
  { username: 'alan', firstName: 'Alan', lastName: 'Turing', role: ['user'] },
  { username: 'katherine', firstName: 'Katherine', lastName: 'Johnson', role: ['user'] },
]

/** Made once: a second start finds them. */
async function seed({ app, db }: RunningServer): Promise<void> {
  for (const person of people) {
    if (await app.users.findForLogin(person.username)) continue
    await db.transaction((tx) =>
      app.users.insert(tx, {
        ...person,
        email: `${person.username}@example.org`,
        password: PASSWORD,
        verified: true,
      }),
    )
  }
}

async function main(): Promise<void> {
  const config = parseEnvironment({
    DATA_DIR: './data/demo',
    CLOUD: 'simulated',
    ADMIN_PASSWORD: PASSWORD,
    ...process.env,
  })
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const server = await startServer(config, existsSync(WEB_FOLDER) ? WEB_FOLDER : null)
  await seed(server)
  const names = people.map(({ username, role }) => `    ${username.padEnd(10)} ${role.join(', ')}`)
  process.stdout.write(`
  The demo is ready at ${server.url}
  Everyone's password is ${PASSWORD}
    admin      admin, user
${names.join('\n')}
  Press Ctrl+C to stop it.

`)
  // Takes a minute, in which one can look around already.
  seedThings(server.url, PASSWORD).catch((error: unknown) => {
    process.stderr.write(`  Some demo data could not be created: ${String(error)}\n`)
  })
  const stop = () => void server.stop().then(() => process.exit(0))
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

main().catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
})
