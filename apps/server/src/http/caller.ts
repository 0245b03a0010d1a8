import type { Role } from '@flotilla/contract/access'

/** The person behind a request. */
export type Caller = {
  id: string
  username: string
  role: Role[]
  sessionId: string
}

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

/** Finds the person behind a token, or fails with a 401. `repeat` marks a refresh that is no activity of the person. */
export type Authenticate = (token: string, repeat: boolean) => Promise<Caller>
