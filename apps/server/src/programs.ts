import path from 'node:path'

/** The folder with all of the console's own files: this file has the same depth in the source and in the build. */
export const ownFiles = path.resolve(import.meta.dirname, '../../..')

// In the build, each of these programs is a file beside the server's own.
const beside = (...names: string[]) => path.join(import.meta.dirname, ...names)

/** How the built-in executor is started. */
export const executorProgram = [process.execPath, beside('cli', 'executor.js')]
/** Reads users' files in place of the server process. */
export const filesWorkerProgram = beside('files-worker.js')
/** Stands in for OpenTofu and every cloud. */
export const simulatedCloudProgram = beside('cli', 'simulated-cloud.js')
/** Stands in for Packer. */
export const simulatedPackerProgram = beside('cli', 'simulated-packer.js')
