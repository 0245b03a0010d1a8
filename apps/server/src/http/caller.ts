import type { Role, TokenScope } from '@flotilla/contract/access'
import type { Transaction } from '../db/database'

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

/** The right of a request to write, which may end while it is worked on. */
export type Authority = {
  /**
   * A transaction for the caller: it fails with 401 or 403, and writes nothing, when they lost the session, the token or a role
   * since the request was decided; nothing takes one away before it ends. Name the person in `changing` whose rights it changes.
   * Everything done for a caller goes through here. Only what tells of something that already happened outside of the database
   * is written without it, so that it is on record whatever became of the caller.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: { changing?: string }): Promise<T>
  /** Fails when the caller may not do this anymore: just before what is done outside of the database. */
  recheck(): Promise<void>
  /** For a statement that checks it on its own with `caller_may`. */
  claim(): string
}

/** What the audit trail keeps of where a change came from. Null is the console itself, on its own. */
export type AuditSource = {
  requestId: string | null
  /** Of the client. */
  address: string | null
  sessionId: string | null
  tokenId: string | null
  /** Signs a record, so that one that was written by hand is recognized. */
  sign(text: string): string
}

/** What a handler may know about the request besides its input. */
export type RequestContext = Authority &
  AuditSource & {
    requestId: string
    address: string
    browser: string
    /** The origin of the page that made the request, where a browser says so. */
    origin: string | null
    /** An admin who asked for it with the header `admin: true`: may change what belongs to others. */
    adminScope: boolean
    /**
     * Fails unless the person gave their password within the last 15 minutes of this session. An access token never did. For
     * endpoints with `confirm: true` it has been called already.
     */
    requireConfirmation(): Promise<void>
    /** Sets the cursor of the next page, or says that there is none. */
    nextCursor(cursor: string | null): void
  }

/**
 * Finds the person behind the token of a session or an access token, or fails with a 401. `repeat` marks a refresh that
 * is no activity of the person; `fresh` believes nothing that was looked up before.
 */
export type Authenticate = (
  token: string,
  from: { repeat: boolean; address: string; fresh?: boolean },
) => Promise<SessionCaller | TokenCaller>
