import type { Bind } from '../../http/bind'
import { makeAuth } from './auth'
import { bindAuth } from './routes'

export function openAuth(deps: Parameters<typeof makeAuth>[0]) {
  const auth = makeAuth(deps)
  return { api: { tokenFor: auth.tokenFor }, bind: (bind: Bind) => bindAuth(bind, auth, deps.sessions) }
}
