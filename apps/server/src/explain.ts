/** An error with an explanation for users beyond its message. */
export abstract class ExplainedError extends Error {
  abstract readonly explanation: string
}

/** The message of whatever was thrown, which need not be an Error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Describes an error for the user. */
export const explain = (error: unknown): string =>
  error instanceof ExplainedError ? error.explanation : messageOf(error)
