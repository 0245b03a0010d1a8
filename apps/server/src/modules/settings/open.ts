import type { Bind } from '../../http/bind'
import { bindSettings } from './routes'
import { makeSettings } from './settings'

export function openSettings(deps: Parameters<typeof makeSettings>[0]) {
  const api = makeSettings(deps)
  return { api, bind: (bind: Bind) => bindSettings(bind, api) }
}
