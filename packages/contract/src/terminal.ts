/** Columns or rows of a terminal. */
export const TERMINAL_SIDE_MAX = 1000

/**
 * Final characters of the sequences that say how often something is done, and that the terminal library does one by one:
 * "scroll by 2,000,000,000 lines" would keep it busy for an hour. A count beyond any screen is ignored, in the browser
 * and where the server keeps the screen.
 */
export const RUNAWAY_SEQUENCES = ['I', 'L', 'M', 'S', 'T', 'Z', 'b'] as const
