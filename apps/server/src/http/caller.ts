import type { Role, TokenScope } from '@flotilla/contract/access'
import type { Transaction } from '../db/database'

/** The user behind a request. */
export type Caller = {
  id: string
  username: string
  role: Role[]
}
/** A user with a session, which calls that are closed to access tokens require. */
export type SessionCaller = Caller & { sessionId: string }
/** A user with an access token. */
export type TokenCaller = Caller & { tokenId: string; scope: TokenScope }

/** The right of a request to write, which may end while the request is in progress. */
export type Authority = {
  /**
   * Runs a transaction for the caller. It fails with 401 or 403 and writes nothing if they lost the session, the token
   * or a role since access was decided; these are locked until it ends. `changing` names the user whose rights it
   * changes. Everything done for a caller goes through here. The only exceptions are records of what already happened
   * outside the database, which are written whatever became of the caller.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: { changing?: string }): Promise<T>
  /** Fails if the caller may not do this anymore; called just before an action outside the database. */
  recheck(): Promise<void>
  /** The claim for a statement that checks the rights itself with `caller_may`. */
  claim(): string
}

/** The origin of a change, as the audit trail records it. Fields are null for what the console does by itself. */
export type AuditSource = {
  requestId: string | null
  /** The client's address. */
  address: string | null
  sessionId: string | null
  tokenId: string | null
  /** Signs a record, so that one inserted by hand is recognized. */
  sign(text: string): string
}

/** What a handler may know about the request besides its input. */
export type RequestContext = Authority &
  AuditSource & {
    requestId: string
    address: string
    browser: string
    /** The origin of the page that made the request, if the browser sent it. */
    origin: string | null
    /** Whether an admin sent the header `admin: true`, which allows changing what belongs to others. */
    adminScope: boolean
    /**
     * Fails unless the user entered their password in this session within the last 15 minutes, so it always fails for
     * an access token. For endpoints with `confirm: true` it has already been called.
     */
    requireConfirmation(): Promise<void>
    /** Sets the cursor of the next page; null if there is none. */
    nextCursor(cursor: string | null): void
  }

/**
 * Returns the user behind a session token or an access token, or fails with a 401. `repeat` marks an automatic refresh,
 * which does not count as activity; `fresh` bypasses everything cached.
 */
export type Authenticate = (
  token: string,
  from: { repeat: boolean; address: string; fresh?: boolean },
) => Promise<SessionCaller | TokenCaller>
