// Stands in for OpenTofu and for every cloud: the same command line, events, exit codes, signals, locks and files.
// Everything it makes exists only in files under SIMULATED_CLOUD_DIR, and everything it prints begins with a label.
import { run } from '@flotilla/simulated-cloud/commands'
import { makeEmit } from '@flotilla/simulated-cloud/emit'

const emit = makeEmit({ json: process.argv.includes('-json') })
let interrupts = 0

process.on('SIGINT', () => {
  interrupts += 1
  if (interrupts === 1) {
    emit.info('Interrupt received. Please wait for the engine to exit or data loss may occur.', {
      type: 'log',
    })
    emit.info('Stopping operation...', { type: 'log' })
    return
  }
  emit.info('Two interrupts received. Exiting immediately. Note that data loss may have occurred.', {
    type: 'log',
  })
  emit.diagnostic('error', 'operation canceled')
  process.exit(1)
})

process.exitCode = await run(process.argv.slice(2), {
  folder: process.cwd(),
  env: process.env,
  stopping: () => interrupts > 0,
  // Loaded only when something is created, as most commands only read.
  mayHave: async (request) => (await import('../simulated/exceeded')).refusalOf(request),
})
