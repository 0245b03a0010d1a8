/** An error with an explanation for users beyond its message. */
export abstract class ExplainedError extends Error {
  abstract readonly explanation: string
}

/** Describes an error for the user. */
export const explain = (error: unknown): string => {
  if (error instanceof ExplainedError) return error.explanation
  return error instanceof Error ? error.message : String(error)
}
