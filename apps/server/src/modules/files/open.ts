import type { Bind } from '../../http/bind'
import type { ClusterAccess } from '../clusters/open'
import { makeFiles } from './files'
import { bindFiles } from './routes'

export function openFiles({ access }: { access: ClusterAccess }) {
  const files = makeFiles(access)
  return { bind: (bind: Bind) => bindFiles(bind, files) }
}
