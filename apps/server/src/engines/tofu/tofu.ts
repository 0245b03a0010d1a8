import path from 'node:path'
import { defaultTimeouts, type Timeouts } from '../process/cancel'
import { foundOnce, type EngineProgram } from '../engine'
import { limit } from '../process/limit'
import { openWorkspace, type Workspace, type WorkspaceOptions } from './workspace'

export interface TofuOptions {
  /** Resolved on first use, so that a missing engine blocks nothing else. */
  program: () => Promise<EngineProgram>
  /** Where the engine keeps its plugins, once for all workspaces. */
  pluginCache: string
  /** How many engines this server lets run; further ones wait for their turn. */
  atOnce: number
  timeouts?: Timeouts
}

export interface Tofu {
  program(): Promise<EngineProgram>
  workspace(options: WorkspaceOptions): Workspace
}

/** OpenTofu, or what stands in for it. It knows modules and variables, and nothing of clusters. */
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
