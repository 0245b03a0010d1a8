import type { EngineProgram } from '../../src/engines/engine'
import { createTofu } from '../../src/engines/tofu/tofu'
import type { WorkspaceFiles, WorkspaceOptions } from '../../src/engines/tofu/workspace'

// Applies the kept plan of a workspace, and tells what it hears, until it is killed.
interface Order {
  program: EngineProgram
  options: WorkspaceOptions
  files: WorkspaceFiles
  /** Stands still when it hears of this one. */
  stopAt?: string
}
// Given by the test that runs this.
const { program, options, files, stopAt } = JSON.parse(process.env.ENGINE ?? '{}') as Order
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
