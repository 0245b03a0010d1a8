import type { LogLevel } from '@flotilla/contract/clusters/entity'
import { ExplainedError } from '../explain'
import { fail } from '../fail'

/** The actions on a resource, in the engine's own terms. */
export type ChangeAction = 'create' | 'update' | 'delete' | 'replace' | 'read' | 'refresh' | 'provision'

/** One message of an engine, with the known secrets redacted. */
export interface EngineEvent {
  time: number
  level: LogLevel
  text: string
  change?: {
    address: string
    action: ChangeAction
    phase: 'start' | 'progress' | 'done' | 'failed'
    seconds?: number
    /** The cloud's id of the resource, as soon as it has one. */
    id?: string
  }
  /**
   * Increases over the whole life of a workspace, across runs: a reader that stores the last one can resume after it.
   */
  position: number
}

export type FailureCode =
  | 'engineMissing'
  | 'badCredential'
  | 'quota'
  | 'capacity'
  /** The cloud does not offer this size there at all. */
  | 'unsupported'
  | 'throttled'
  | 'timeout'
  /** The saved plan was made for an older state. */
  | 'stale'
  | 'locked'
  | 'canceled'
  /** The engine was killed or has vanished, and could not report how far it had come. */
  | 'killed'
  /** The server stopped following the engine, which keeps running. */
  | 'detached'
  | 'failed'

/** Clouds omit the period, and then the next sentence would run on. */
const asSentence = (text: string): string =>
  /[.!?:…)\]]$/.test(text.trimEnd()) ? text : `${text.trimEnd()}.`

export class EngineError extends ExplainedError {
  readonly code: FailureCode
  /** The engine's own error messages. */
  readonly details: string[]
  readonly advice: string | undefined
  /** The addresses that failed, such as aws_instance.node["node1"]. */
  readonly addresses: string[]

  constructor(
    code: FailureCode,
    message: string,
    {
      details = [],
      advice,
      addresses = [],
    }: { details?: string[]; advice?: string; addresses?: string[] } = {},
  ) {
    super(message)
    this.name = 'EngineError'
    this.code = code
    this.details = details
    this.advice = advice
    this.addresses = addresses
  }

  /** What the failure means, what the engine itself reported, and what to do next. */
  get explanation(): string {
    const details = this.details.filter((text) => !this.message.includes(text)).slice(0, 2)
    // The message of an unknown failure is the engine's own, which is also among the details.
    const message = details.some((text) => text.includes(this.message)) ? '' : this.message
    return [message, ...details.map((text) => asSentence(text.slice(0, 500))), this.advice]
      .filter(Boolean)
      .join(' ')
  }
}

/**
 * For a request that needs an engine: a missing or failing engine means that the service is unavailable, not that there
 * is a bug.
 */
export function engineUnavailable(error: unknown): never {
  if (!(error instanceof EngineError)) throw error
  return fail('engine_unavailable', { message: [error.message, error.advice].filter(Boolean).join('\n') })
}

/** How to follow a running engine. */
export interface Following {
  onEvent?: (event: EngineEvent) => void
  /** Stops the engine, gracefully at first; the run rejects with `canceled`. */
  cancel?: AbortSignal
  /** Stops following the engine, for example on shutdown, and leaves it running; rejects with `detached`. */
  detach?: AbortSignal
}

/**
 * Finds a program on first use. A missing program is searched for again, because it may be installed in the meantime.
 */
export function foundOnce(find: () => Promise<EngineProgram>): () => Promise<EngineProgram> {
  let found: Promise<EngineProgram> | undefined
  return () =>
    (found ??= find().catch((error: unknown) => {
      found = undefined
      throw error
    }))
}

/** An engine that is installed. */
export interface EngineProgram {
  command: string[]
  version: string
  /** Whether it only simulates a cloud. */
  simulated: boolean
  /** The environment that its process needs in order to run; it gets nothing else of the server's environment. */
  environment: Record<string, string>
  /** Runs queries in this process, if the engine can. */
  query?: (
    argv: string[],
    place: { folder: string; env: Record<string, string> },
  ) => Promise<{ exitCode: number; text: string }>
}
