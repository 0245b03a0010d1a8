import type { Bind } from '../../http/bind'
import { makeBackups } from './backups'
import { bindBackups } from './routes'

export function openBackups(deps: Parameters<typeof makeBackups>[0]) {
  const { handler, sweep, ...api } = makeBackups(deps)
  return { bind: (bind: Bind) => bindBackups(bind, api), tasks: [handler], sweep }
}
