import type { CallOptions } from '@flotilla/client/request'
import { auth, type LoggedIn } from '@flotilla/contract/people/auth'
import { call } from '../api/call'

/** The session's own calls. Loaded on demand: a guest's page does not need them before a login. */
export const requestRefresh = (options?: CallOptions): Promise<LoggedIn> => call(auth.refresh, {}, options)

/** The page may be closing, and its session has already ended here. */
export const requestLogout = (token: string): Promise<unknown> =>
  call(auth.logout, {}, { keepalive: true, token })
