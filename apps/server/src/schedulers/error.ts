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

/** A resource manager refused or could not answer. The message is for people and names the next step. */
export class SchedulerError extends Error {
  override readonly name = 'SchedulerError'
  constructor(
    readonly code: SchedulerErrorCode,
    message: string,
    /** What the resource manager itself said. */
    readonly detail = '',
    /** No one took the request: it may be sent again without harm. */
    readonly nothingArrived = false,
  ) {
    super(message)
  }
}

/** A known failure: the program's output, its code here, the message for users, and whether no one took the request. */
export type KnownFailure = [output: RegExp, code: SchedulerErrorCode, message: string, nothingArrived?: true]

/** What a program says about its failure stands at the beginning; it may write on for megabytes. */
const OUTPUT_MAX = 10_000

/** The first known failure that matches the text. */
export function recognize(output: string, known: KnownFailure[]): SchedulerError | undefined {
  const read = output.slice(0, OUTPUT_MAX)
  const found = known.find(([pattern]) => pattern.test(read))
  return found && new SchedulerError(found[1], found[2], read.trim(), found[3])
}

/** Half a record would be read as a whole one. */
export function refuseTruncated({ truncated }: { truncated?: boolean }): void {
  if (truncated)
    throw new SchedulerError('too_much', 'The resource manager has more records than can be read at once.')
}
