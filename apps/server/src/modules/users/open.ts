import type { Bind } from '../../http/bind'
import { bindUsers } from './routes'
import { makeUsers } from './users'

export function openUsers(deps: Parameters<typeof makeUsers>[0]) {
  const api = makeUsers(deps)
  return { api, bind: (bind: Bind) => bindUsers(bind, api), sweep: api.sweep }
}
