import { createContext } from 'react'

/** Whether the surrounding page already reports that the server does not respond, so that its parts need not. */
export const NoResponse = createContext(false)

export const NO_RESPONSE = 'The server is not responding; retrying automatically'

/** Whether the server could not be reached at all. */
export const isNoResponse = (error: unknown): boolean =>
  error instanceof Error && 'network' in error && error.network === true
