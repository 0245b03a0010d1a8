import type { LogLevel } from '@flotilla/contract/clusters/entity'
import { ExplainedError } from '../explain'
import { fail } from '../fail'

/** What can be done to a thing, in the engine's own words. */
export type ChangeAction = 'create' | 'update' | 'delete' | 'replace' | 'read' | 'refresh' | 'provision'

/** One thing that an engine said, without the secrets that we know. */
export interface EngineEvent {
  time: number
  level: LogLevel
  text: string
  change?: {
    address: string
    action: ChangeAction
    phase: 'start' | 'progress' | 'done' | 'failed'
    seconds?: number
    /** The cloud's id of it, once there is one. */
    id?: string
  }
  /** Grows over the whole life of a workspace, from run to run: who keeps the last one can continue after it. */
  position: number
}

export type FailureCode =
  | 'engineMissing'
  | 'badCredential'
  | 'quota'
  | 'capacity'
  /** The cloud does not have this size there at all. */
  | 'unsupported'
  | 'throttled'
  | 'timeout'
  /** The kept plan is of an older state. */
  | 'stale'
  | 'locked'
  | 'canceled'
  /** The engine was killed or has vanished, and could not say how far it came. */
  | 'killed'
  /** We stopped following it; it keeps running. */
  | 'left'
  | 'failed'

/** Clouds leave out the period, and then the next sentence cannot be told apart. */
const asSentence = (text: string): string =>
  /[.!?:…)\]]$/.test(text.trimEnd()) ? text : `${text.trimEnd()}.`

export class EngineError extends ExplainedError {
  readonly code: FailureCode
  /** The engine's own words. */
  readonly details: string[]
  readonly advice: string | undefined
  /** What it happened to, such as aws_instance.node["node1"]. */
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

  /** What it means, what the engine itself said, and what to do next. */
  get explanation(): string {
    const details = this.details.filter((text) => !this.message.includes(text)).slice(0, 2)
    // A failure that we do not know is told in the engine's words, which are among the details.
    const message = details.some((text) => text.includes(this.message)) ? '' : this.message
    return [message, ...details.map((text) => asSentence(text.slice(0, 500))), this.advice]
      .filter(Boolean)
      .join(' ')
  }
}

/** For a request that needs an engine: one that is missing or fails is unavailable, and no defect. */
export function engineUnavailable(error: unknown): never {
  if (!(error instanceof EngineError)) throw error
  return fail('engine_unavailable', { message: [error.message, error.advice].filter(Boolean).join('\n') })
}

/** How to follow a running engine. */
export interface Following {
  onEvent?: (event: EngineEvent) => void
  /** Ends the engine, gracefully at first: rejects with `canceled`. */
  cancel?: AbortSignal
  /** Stops following it, for example on shutdown; the engine keeps running. Rejects with `left`. */
  leave?: AbortSignal
}

/** Looks for a program on first use. One that is missing is looked for again, as someone may install it in the meantime. */
export function foundOnce(find: () => Promise<EngineProgram>): () => Promise<EngineProgram> {
  let found: Promise<EngineProgram> | undefined
  return () =>
    (found ??= find().catch((error: unknown) => {
      found = undefined
      throw error
    }))
}

/** An engine that was found. */
export interface EngineProgram {
  command: string[]
  version: string
  /** It only simulates a cloud. */
  simulated: boolean
  /** What its process needs to run at all; nothing else of ours is in its environment. */
  environment: Record<string, string>
  /** Answers queries in this process, if it can. */
  query?: (
    argv: string[],
    place: { folder: string; env: Record<string, string> },
  ) => Promise<{ exitCode: number; text: string }>
}
