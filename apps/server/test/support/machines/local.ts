import path from 'node:path'
import { inject } from 'vitest'
import { localTransport } from '../../../src/transports/local/local'

/** The one that was built for the tests. */
export const testFilesWorker = () => path.join(inject('consoleFolder'), 'files-worker.js')

/** This machine, with files. */
export const testLocal = (options: Parameters<typeof localTransport>[0] = {}) =>
  localTransport({ filesWorker: testFilesWorker(), ...options })
