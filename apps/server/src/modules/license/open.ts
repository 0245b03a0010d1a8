import type { Bind } from '../../http/bind'
import { makeLicense } from './license'
import { bindLicense } from './routes'

export function openLicense(deps: Parameters<typeof makeLicense>[0]) {
  const api = makeLicense(deps)
  return { api, bind: (bind: Bind) => bindLicense(bind, api) }
}
