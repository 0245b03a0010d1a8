// Stands in for OpenTofu and for every cloud: the same command line, events, exit codes, signals, locks and files.
// Everything it makes exists only in files under SIMULATED_CLOUD_DIR, and everything it says begins with a label.
import { run } from '@flotilla/simulated-cloud/commands'
import { speaker } from '@flotilla/simulated-cloud/speak'

const speak = speaker({ json: process.argv.includes('-json') })
let interrupts = 0

process.on('SIGINT', () => {
  interrupts += 1
  if (interrupts === 1) {
    speak.info('Interrupt received. Please wait for the engine to exit or data loss may occur.', {
      type: 'log',
    })
    speak.info('Stopping operation...', { type: 'log' })
    return
  }
  speak.info('Two interrupts received. Exiting immediately. Note that data loss may have occurred.', {
    type: 'log',
  })
  speak.diagnostic('error', 'operation canceled')
  process.exit(1)
})

process.exitCode = await run(process.argv.slice(2), {
  folder: process.cwd(),
  env: process.env,
  stopping: () => interrupts > 0,
})
