const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code

/** Something with the same unique key is there already. */
export const isDuplicate = (error: unknown): boolean => hasCode(error, '23505')
/** Something that the row refers to is gone. */
export const isMissingReference = (error: unknown): boolean => hasCode(error, '23503')
/** What a connection has planned does not fit a table anymore that a newer server has changed in the meantime. */
export const isOutdated = (error: unknown): boolean => hasCode(error, '0A000')
