import type { EngineProgram } from '../../src/engines/engine'
import { createTofu } from '../../src/engines/tofu/tofu'
import type { WorkspaceFiles, WorkspaceOptions } from '../../src/engines/tofu/workspace'

// Applies the saved plan of a workspace and prints each event, until it is killed.
interface Input {
  program: EngineProgram
  options: WorkspaceOptions
  files: WorkspaceFiles
  /** The address of the resource at whose event it hangs. */
  stopAt?: string
}
// Border: the test that runs this script sets the variable.
const { program, options, files, stopAt } = JSON.parse(process.env.ENGINE ?? '{}') as Input
const tofu = createTofu({ program: async () => program, pluginCache: `${options.folder}.plugins`, atOnce: 1 })
const workspace = tofu.workspace(options)
await workspace.write(files)
await workspace.apply({
  onEvent({ change, position }) {
    if (!change) return
    console.log(`event ${change.address} ${change.phase} ${position}`)
    if (change.address !== stopAt) return
    console.log('hangs')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  },
})
console.log('applied')
