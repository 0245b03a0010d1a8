/** Without 0 and O, 1, I and L, which look alike on a projector. */
export const SESSION_CODE_ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const GROUP_LENGTH = 3
/** 31^9 codes: at the site's rate limit it takes centuries to guess one. */
export const SESSION_CODE_LENGTH = 3 * GROUP_LENGTH
/** Of a code that an instructor chose. */
export const SESSION_CODE_MIN = 8
export const SESSION_CODE_MAX = 24

/** People type it in any case, with or without dashes and spaces. */
export const normalizeSessionCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z0-9]/g, '')

/** In groups that are easy to read aloud: `K7M-PQ4-XWN`. */
export const formatSessionCode = (code: string): string =>
  code.match(new RegExp(`.{1,${GROUP_LENGTH}}`, 'g'))?.join('-') ?? code
