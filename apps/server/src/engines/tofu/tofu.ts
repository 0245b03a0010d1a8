import path from 'node:path'
import { defaultTimeouts, type Timeouts } from '../process/cancel'
import { foundOnce, type EngineProgram } from '../engine'
import { limit } from '../process/limit'
import { openWorkspace, type Workspace, type WorkspaceOptions } from './workspace'

export interface TofuOptions {
  /** Resolved on first use, so that a missing engine does not block anything else. */
  program: () => Promise<EngineProgram>
  /** The folder of the engine's plugins, shared by all workspaces. */
  pluginCache: string
  /** How many engines this server runs at once; others wait for their turn. */
  atOnce: number
  timeouts?: Timeouts
}

export interface Tofu {
  program(): Promise<EngineProgram>
  workspace(options: WorkspaceOptions): Workspace
}

/** OpenTofu, or its simulated replacement. It deals with modules and variables, and knows nothing about clusters. */
export function createTofu({ program, pluginCache, atOnce, timeouts = defaultTimeouts }: TofuOptions): Tofu {
  const inTurn = limit(atOnce)
  const find = foundOnce(program)
  return {
    program: find,
    workspace: (options) =>
      openWorkspace(
        { program: find, pluginCache: path.resolve(pluginCache), inTurn, timeouts },
        { ...options, folder: path.resolve(options.folder) },
      ),
  }
}
