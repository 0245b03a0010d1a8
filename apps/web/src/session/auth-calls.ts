import type { CallOptions } from '@flotilla/client/request'
import { auth, type LoggedIn } from '@flotilla/contract/people/auth'
import { call } from '../api/call'

/** The session's own calls. Fetched when first needed: a visitor's page has no use for them before a login. */
export const requestRefresh = (options?: CallOptions): Promise<LoggedIn> => call(auth.refresh, {}, options)

/** The page may be on its way out, and its session is over here already. */
export const requestLogout = (token: string): Promise<unknown> =>
  call(auth.logout, {}, { keepalive: true, token })
