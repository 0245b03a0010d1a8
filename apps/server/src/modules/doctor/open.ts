import type { Bind } from '../../http/bind'
import { makeDoctor } from './doctor'
import { bindDoctor } from './routes'

export function openDoctor(deps: Parameters<typeof makeDoctor>[0]) {
  const doctor = makeDoctor(deps)
  return { bind: (bind: Bind) => bindDoctor(bind, doctor) }
}
