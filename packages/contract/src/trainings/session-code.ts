/** Excludes characters that look alike on a projector: 0 and O; 1, I and L. */
export const SESSION_CODE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const GROUP_LENGTH = 3
/** 31^9 codes: at the site's rate limit, guessing one takes centuries. */
export const SESSION_CODE_LENGTH = 3 * GROUP_LENGTH
/** The limits of a code that an instructor chooses. */
export const SESSION_CODE_MIN = 8
export const SESSION_CODE_MAX = 24

/** Codes may be entered in any case, with or without dashes and spaces. */
export const normalizeSessionCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z0-9]/g, '')

/** Splits a code into groups that are easy to read aloud: `K7M-PQ4-XWN`. */
export const formatSessionCode = (code: string): string =>
  code.match(new RegExp(`.{1,${GROUP_LENGTH}}`, 'g'))?.join('-') ?? code
