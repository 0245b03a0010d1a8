import { terminator, type Timeouts } from '../process/cancel'
import { EngineError, type EngineEvent, type Following } from '../engine'
import { parseEvent, type Diagnostic } from './events'
import type { EngineProcess } from '../process/process'

/** A resource that was created, or was about to be. */
export interface Made {
  address: string
  /** Null if the engine died before reporting it. */
  id: string | null
}

export interface Watched {
  exitCode: number | null
  diagnostics: Diagnostic[]
  made: Made[]
  canceled: boolean
}

export interface WatchOptions {
  following: Following
  redact: (text: string) => string
  timeouts: Timeouts
  /** The position up to which events were already delivered. */
  from?: number
}

/** Follows an engine to its end, and stops it on request. */
export async function watchOver(running: EngineProcess, options: WatchOptions): Promise<Watched> {
  const { following, redact, timeouts, from = 0 } = options
  const { cancel, detach, onEvent } = following
  const diagnostics: Diagnostic[] = []
  const made = new Map<string, string | null>()
  const { ending, release } = terminator(running, timeouts, cancel)
  try {
    // From the beginning, because resources that were created earlier count too.
    for await (const line of running.lines(0, detach ?? new AbortController().signal)) {
      // `state rm` has no JSON output, so plain text is normal.
      const parsed = parseEvent(line, redact, running.name === 'forget' ? 'info' : 'warning')
      if (!parsed) continue
      note(parsed.event, made)
      if (parsed.diagnostic) diagnostics.push(parsed.diagnostic)
      if (parsed.event.position > from) onEvent?.(parsed.event)
    }
  } finally {
    release()
  }
  if (detach?.aborted && running.alive()) {
    throw new EngineError('detached', 'The engine continues in the background.')
  }
  await ending()
  return {
    exitCode: running.exitCode(),
    diagnostics,
    made: [...made].map(([address, id]) => ({ address, id })),
    canceled: ending() !== undefined,
  }
}

function note({ change }: EngineEvent, made: Map<string, string | null>): void {
  if (!change || (change.action !== 'create' && change.action !== 'replace')) return
  if (change.phase === 'start' && !made.has(change.address)) made.set(change.address, null)
  if (change.phase === 'done') made.set(change.address, change.id ?? null)
}
