import { EngineError, type Following } from '../engine'
import type { EngineProcess } from '../process/process'
import type { StateResource } from './show'
import { clearLock, repairState, pushErrored } from './state-file'
import type { Made, Watched } from './watch'

export interface Recovery {
  /** The operation that was in progress; null if there was none. */
  operation: string | null
  ending: 'none' | 'done' | 'failed' | 'killed'
  /** Why the operation failed. */
  error: EngineError | null
  /** Whether a state that could not be written at the time has now been restored. */
  statePushed: boolean
  /** Whether the state was lost while it was being written, and the previous one was restored. */
  stateMended: boolean
  refreshed: boolean
  /** Why the state could not be refreshed. */
  refreshError: EngineError | null
  /**
   * Resources that the engine created, or was about to create, and that the state does not know: they have to be
   * searched for in the cloud.
   */
  orphans: Made[]
}

export interface RecoverParts {
  folder: string
  find: () => Promise<EngineProcess | null>
  watching: (running: EngineProcess, following: Following, from?: number) => Promise<Watched>
  finish: (running: EngineProcess, watched: Watched) => Promise<void>
  workspace: { refresh(following: Following): Promise<void>; resources(): Promise<StateResource[]> }
}

const asEngineError = (error: unknown): EngineError => {
  if (error instanceof EngineError && error.code !== 'detached') return error
  throw error
}

/**
 * Recovers a workspace after a crash of the server or the engine: an engine that is still running is followed to its
 * end; then the state is repaired from files as far as possible, and compared with the cloud if an apply was
 * interrupted.
 */
export async function recover(
  { folder, find, watching, finish, workspace }: RecoverParts,
  { from, following }: { from: number | undefined; following: Following },
): Promise<Recovery> {
  const running = await find()
  let error: EngineError | null = null
  let made: Made[] = []
  if (running) {
    const watched = await watching(running, following, from)
    made = watched.made
    await finish(running, watched).catch((reason: unknown) => (error = asEngineError(reason)))
  }
  await clearLock(folder)
  const statePushed = await pushErrored(folder)
  const stateMended = await repairState(folder)
  const ending = endingOf(running, error)
  const brokeOff = ending !== 'done' && running?.name === 'apply'
  let refreshError: EngineError | null = null
  if (brokeOff || statePushed || stateMended) {
    await workspace.refresh(following).catch((reason: unknown) => (refreshError = asEngineError(reason)))
  }
  return {
    operation: running?.name ?? null,
    ending,
    error,
    statePushed,
    stateMended,
    refreshed: (brokeOff || statePushed || stateMended) && refreshError === null,
    refreshError,
    orphans: brokeOff ? await orphansAmong(made, workspace) : [],
  }
}

function endingOf(running: EngineProcess | null, error: EngineError | null): Recovery['ending'] {
  if (!running) return 'none'
  if (!error) return 'done'
  return error.code === 'killed' ? 'killed' : 'failed'
}

async function orphansAmong(made: Made[], workspace: RecoverParts['workspace']): Promise<Made[]> {
  if (made.length === 0) return []
  const known = await workspace.resources()
  const addresses = new Set(known.map((one) => one.address))
  return made.filter(({ address }) => !addresses.has(address))
}
