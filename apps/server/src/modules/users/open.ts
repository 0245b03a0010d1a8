import type { Bind } from '../../http/bind'
import type { Queue } from '../../queue/queue'
import { bindUsers } from './routes'
import { makeTimed } from './ending/timed'
import { makeUsers } from './users'

type Deps = Omit<Parameters<typeof makeUsers>[0], 'scheduleEnd'> & { queue: Queue }

export function openUsers(deps: Deps) {
  const { scheduleEnd, handler } = makeTimed(deps)
  const api = makeUsers({ ...deps, scheduleEnd })
  return { api, bind: (bind: Bind) => bindUsers(bind, api), tasks: [handler], sweep: api.sweep }
}
