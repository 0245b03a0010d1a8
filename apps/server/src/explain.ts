/** An error that tells a person more than its message does. */
export abstract class ExplainedError extends Error {
  abstract readonly explanation: string
}

/** What went wrong, in words for a person. */
export const explain = (error: unknown): string => {
  if (error instanceof ExplainedError) return error.explanation
  return error instanceof Error ? error.message : String(error)
}
