import path from 'node:path'

/** All of the console's own files; in the source, this file is as deep in them as the build is. */
export const ownFiles = path.resolve(import.meta.dirname, '../../..')

// In the build each of these is a file beside the server's own.
const beside = (...names: string[]) => path.join(import.meta.dirname, ...names)

/** How the built-in executor is started. */
export const executorProgram = [process.execPath, beside('cli', 'executor.js')]
/** Reads people's files in the server's place. */
export const filesWorkerProgram = beside('files-worker.js')
/** Stands in for OpenTofu and every cloud. */
export const simulatedCloudProgram = beside('cli', 'simulated-cloud.js')
/** Stands in for Packer. */
export const simulatedPackerProgram = beside('cli', 'simulated-packer.js')
