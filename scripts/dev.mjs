// @ts-check
// npm run dev: server and web app with hot reload. Vite serves the web app and forwards requests for the API, the
// runtime configuration and the socket to the server; the server is rebuilt and restarted when one of its files
// changes.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { forgetBuild } from './build.mjs'
import { fail, keep, root, say, stopping, tool } from './running/child.mjs'
import { setup } from './running/setup.mjs'

try {
  await setup()
} catch (error) {
  fail(error)
}

const port = process.env.PORT ?? '12345'
const env = { ...process.env, PORT: port, NODE_ENV: 'development' }
const main = join(root, 'apps/server/dist/main.js')

/** @type {import('node:child_process').ChildProcess | undefined} */
let server

/** One restart at a time: changes during a restart wait for it. */
let restarting = Promise.resolve()

async function restart() {
  const old = server
  if (old && old.exitCode === null && old.signalCode === null) {
    await new Promise((resolve) => {
      const killTimer = setTimeout(() => old.kill('SIGKILL'), 10_000)
      old.once('exit', () => resolve(clearTimeout(killTimer)))
      old.kill('SIGTERM')
    })
  }
  server = keep(spawn(process.execPath, ['--enable-source-maps', main], { cwd: root, env, stdio: 'inherit' }))
  server.once(
    'exit',
    (code) => code && say(`The server exited with code ${code}. It will restart after the next change.`),
  )
}

forgetBuild('server') // this watcher writes into the same folder as the build
const { watch } = await import('rolldown')
const { default: options } = await import(pathToFileURL(join(root, 'apps/server/rolldown.config.mjs')).href)
const watcher = watch(options)
watcher.on('event', (event) => {
  if (event.code === 'ERROR') say(`The server could not be built:\n${event.error.message}`)
  if (event.code === 'BUNDLE_END') say(`Server built in ${Math.round(event.duration)} ms`)
  if (event.code === 'END') restarting = restarting.then(restart)
  if ('result' in event) void event.result.close()
})

const vite = keep(
  spawn(process.execPath, [tool('vite'), '--host', '127.0.0.1', '--clearScreen', 'false'], {
    cwd: join(root, 'apps/web'),
    env: { ...process.env, FLOTILLA_SERVER: `http://127.0.0.1:${port}` },
    stdio: 'inherit',
  }),
)
vite.once('exit', (code) => {
  if (!stopping) fail(`The web development server exited with code ${code}.`)
})
