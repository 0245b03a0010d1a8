import path from 'node:path'
import { inject } from 'vitest'
import { localTransport } from '../src/transports/local'

/** This machine, with the files worker that was built for the tests. */
export const testLocal = (options: Parameters<typeof localTransport>[0] = {}) =>
  localTransport({ filesWorker: path.join(inject('consoleFolder'), 'local-files-worker.js'), ...options })
