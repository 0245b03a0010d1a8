import { createContext } from 'react'

/** Whether the page around already says that the server does not answer: its parts then need not. */
export const NoAnswer = createContext(false)

export const NO_ANSWER = 'The server is not responding; retrying automatically'

/** The server was not reached at all, as the calls say it. */
export const isNoAnswer = (error: unknown): boolean =>
  error instanceof Error && 'network' in error && error.network === true
