import path from 'node:path'
import { inject } from 'vitest'
import { localTransport } from '../../../src/transports/local/local'

/** The files worker that was built for the tests. */
export const testFilesWorker = () => path.join(inject('consoleFolder'), 'files-worker.js')

/** A transport to this machine, with support for files. */
export const testLocal = (options: Parameters<typeof localTransport>[0] = {}) =>
  localTransport({ filesWorker: testFilesWorker(), ...options })
