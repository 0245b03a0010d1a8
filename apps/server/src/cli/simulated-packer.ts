// Stands in for Packer where every cloud is simulated: the same command line, output, exit codes and signals, as far as
// the console uses them. What it builds exists only in files under SIMULATED_CLOUD_DIR, as every line of output states.
import { writeSync } from 'node:fs'
import { buildSimulated } from '@flotilla/simulated-cloud/packer'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())

const [command, ...args] = process.argv.slice(2)
if (command === 'build') {
  process.exitCode = await buildSimulated(args, {
    folder: process.cwd(),
    env: process.env,
    // Written synchronously, so that output survives a kill.
    print: (line) => void writeSync(1, `${line}\n`),
    stop: stop.signal,
  })
} else {
  writeSync(2, `[simulated] Unknown command ${command ?? '(none)'}: only build is supported\n`)
  process.exitCode = 1
}
