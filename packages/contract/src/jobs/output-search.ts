import * as z from 'zod/mini'

export const SEARCH_TEXT_MAX = 200
/** Per reply. */
export const SEARCH_MATCHES_MAX = 100
/** Concurrent searches per user: each reads a file on a cluster. */
export const SEARCHES_MAX = 6

/** Typical error messages of programs, matched as whole words, ignoring case. */
export const ERROR_WORDS = [
  'error',
  'fatal',
  'failed',
  'failure',
  'exception',
  'traceback',
  'panic',
  'killed',
  'aborted',
  'segmentation fault',
  'core dumped',
  'out of memory',
  'cannot allocate memory',
  'no space left',
  'command not found',
  'no such file',
  'permission denied',
] as const

// oxlint-disable-next-line no-control-regex -- a tab is the only one that people search for
const isOneLine = (text: string) => !/[\0-\x08\x0a-\x1f\x7f]/.test(text)

export const OutputSearchQuery = z.object({
  text: z.optional(
    z
      .string()
      .check(
        z.minLength(1, 'Enter text to search for'),
        z.maxLength(SEARCH_TEXT_MAX, `Max character length is ${SEARCH_TEXT_MAX}`),
        z.refine(isOneLine, 'Enter a single line of text'),
      ),
  ),
  /** Searches for typical error messages instead of a text. */
  errors: z._default(z.enum(['true', 'false']), 'false'),
  from: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER)), 0),
  /** The line number at `from`. */
  line: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(Number.MAX_SAFE_INTEGER)), 1),
})

export const OutputMatch = z.object({
  line: z.number(),
  /** In bytes. */
  offset: z.number(),
  length: z.number(),
  /** The surrounding part of the line, and the offset of the match in it. */
  text: z.string(),
  at: z.number(),
})
export type OutputMatch = z.infer<typeof OutputMatch>

export const OutputSearch = z.object({
  matches: z.array(OutputMatch),
  /** The offset to continue from: everything before it was searched. */
  next: z.number(),
  nextLine: z.number(),
  size: z.number(),
  /** Whether the end of the file was reached. */
  done: z.boolean(),
  /** Whether the file is now shorter than `from`: the search must start over. */
  restarted: z.boolean(),
})
export type OutputSearch = z.infer<typeof OutputSearch>
