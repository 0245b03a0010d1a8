import * as z from 'zod/mini'

export const SEARCH_TEXT_MAX = 200
/** In one reply. */
export const SEARCH_MATCHES_MAX = 100
/** Of one person at the same time: each reads a file on a cluster. */
export const SEARCHES_MAX = 6

/** What programs say when they fail, as whole words in any case. */
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
  /** In place of a text: what looks like an error. */
  errors: z._default(z.enum(['true', 'false']), 'false'),
  from: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER)), 0),
  /** The number of the line at `from`. */
  line: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(Number.MAX_SAFE_INTEGER)), 1),
})

export const OutputMatch = z.object({
  line: z.number(),
  /** In bytes. */
  offset: z.number(),
  length: z.number(),
  /** What is around it in its line, and where in this text it is. */
  text: z.string(),
  at: z.number(),
})
export type OutputMatch = z.infer<typeof OutputMatch>

export const OutputSearch = z.object({
  matches: z.array(OutputMatch),
  /** Where to continue: everything before it was searched. */
  next: z.number(),
  nextLine: z.number(),
  size: z.number(),
  /** The end of the file was reached. */
  done: z.boolean(),
  /** The file became shorter than `from`: begin again. */
  restarted: z.boolean(),
})
export type OutputSearch = z.infer<typeof OutputSearch>
