export type SchedulerErrorCode =
  | 'unknown_job'
  | 'bad_queue'
  | 'infeasible'
  | 'controller_down'
  | 'node_down'
  | 'not_permitted'
  | 'not_installed'
  | 'invalid'
  | 'disk_full'
  | 'too_much'
  | 'unknown'

/** A resource manager rejected a request or could not respond. The message is for users and names the next step. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError'
  constructor(
    readonly code: SchedulerErrorCode,
    message: string,
    /** The resource manager's own output. */
    readonly detail = '',
    /** The request did not arrive, so it can be safely sent again. */
    readonly notDelivered = false,
  ) {
    super(message)
  }
}

/** A known failure: the program's output, our code, the message for users, and whether the request did not arrive. */
export type KnownFailure = [output: RegExp, code: SchedulerErrorCode, message: string, notDelivered?: true]

/** How much of the output is searched: a program reports its failure first, but may print megabytes. */
const OUTPUT_MAX = 10_000

/** The first known failure that matches the text. */
export function recognize(output: string, known: KnownFailure[]): SchedulerError | undefined {
  const read = output.slice(0, OUTPUT_MAX)
  const found = known.find(([pattern]) => pattern.test(read))
  return found && new SchedulerError(found[1], found[2], read.trim(), found[3])
}

/** Throws for truncated output, because a partial record could be read as a complete one. */
export function refuseTruncated({ truncated }: { truncated?: boolean }): void {
  if (truncated)
    throw new SchedulerError('too_much', 'The resource manager has more records than can be read at once.')
}
