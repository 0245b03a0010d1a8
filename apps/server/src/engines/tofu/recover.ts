import { EngineError, type Following } from '../engine'
import type { EngineProcess } from '../process/process'
import type { StateResource } from './show'
import { clearLock, repairState, pushErrored } from './state-file'
import type { Made, Watched } from './watch'

export interface Recovery {
  /** What was in progress; null when nothing was. */
  operation: string | null
  ending: 'none' | 'done' | 'failed' | 'killed'
  /** Why it did not end well. */
  error: EngineError | null
  /** A state that could not be written then is in place now. */
  statePushed: boolean
  /** The state was lost in the middle of being written; the one from before is in place. */
  stateMended: boolean
  refreshed: boolean
  /** Why the state could not be held against the cloud. */
  refreshError: EngineError | null
  /** What the engine made, or was about to make, and the state does not know: to be looked for in the cloud. */
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
  if (error instanceof EngineError && error.code !== 'left') return error
  throw error
}

/**
 * Puts a workspace in order after a crash, of the server or of the engine: an engine that still runs is followed to
 * its end; then the state is repaired as far as possible from files, and compared with the cloud if an apply was
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
