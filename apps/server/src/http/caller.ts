import type { Role, TokenScope } from '@flotilla/contract/access'

/** The person behind a request. */
export type Caller = {
  id: string
  username: string
  role: Role[]
}
/** Who logged in. Calls that no access token may make get one. */
export type SessionCaller = Caller & { sessionId: string }
/** Whose access token came instead. */
export type TokenCaller = Caller & { tokenId: string; scope: TokenScope }

/** What a handler may know about the request besides its input. */
export type RequestContext = {
  requestId: string
  address: string
  browser: string
  /** An admin who asked for it with the header `admin: true`: may change what belongs to others. */
  adminScope: boolean
  /** Sets the cursor of the next page, or says that there is none. */
  nextCursor(cursor: string | null): void
}

/**
 * Finds the person behind the token of a session or an access token, or fails with a 401. `repeat` marks a refresh that
 * is no activity of the person.
 */
export type Authenticate = (
  token: string,
  from: { repeat: boolean; address: string },
) => Promise<SessionCaller | TokenCaller>
