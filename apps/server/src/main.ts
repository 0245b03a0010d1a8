import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { EnvironmentError, parseEnvironment } from './config'
import { forgetFirstPassword } from './first-admin'
import { startServer } from './server'

const WEB_FOLDER = path.resolve(import.meta.dirname, '../../web/dist')

async function main(): Promise<void> {
  const config = parseEnvironment(process.env)
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const server = await startServer(config, existsSync(WEB_FOLDER) ? WEB_FOLDER : null)
  const { url, firstPassword } = server
  process.stdout.write(`\n  Flotilla is ready at ${url}\n`)
  if (firstPassword) {
    process.stdout.write(`  Log in as admin with the password ${firstPassword} (shown only this once)\n`)
    await forgetFirstPassword(config.dataDir)
  }
  process.stdout.write('  Press Ctrl+C to stop it.\n\n')

  let stopping = false
  const stop = () => {
    if (stopping) process.exit(1)
    stopping = true
    server.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

main().catch((error: unknown) => {
  // The message tells the operator what to fix; the stack trace is printed only at the debug level.
  const text =
    error instanceof EnvironmentError || (error instanceof Error && error.message)
      ? error.message
      : String(error)
  process.stderr.write(`\n${text}\n`)
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
