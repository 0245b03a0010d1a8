const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code

/** Whether a row with the same unique key already exists. */
export const isDuplicate = (error: unknown): boolean => hasCode(error, '23505')
/** Whether something that the row refers to does not exist anymore. */
export const isMissingReference = (error: unknown): boolean => hasCode(error, '23503')
/** Whether a plan on this connection does not fit its table anymore, because a newer server has changed the table. */
export const isOutdated = (error: unknown): boolean => hasCode(error, '0A000')
