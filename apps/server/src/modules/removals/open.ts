import { users as calls } from '@flotilla/contract/people/users'
import type { Bind } from '../../http/bind'
import { makeRemovals } from './removals'
import { runningThings } from './running-things'

type Deps = Omit<Parameters<typeof makeRemovals>[0], 'runnables'> & Parameters<typeof runningThings>[0]

/** Must be opened after the modules whose things users run. */
export function openRemovals(deps: Deps) {
  const removals = makeRemovals({ ...deps, runnables: runningThings(deps) })
  return {
    bind(bind: Bind): void {
      bind(calls.running, ({ id }) => removals.running(id))
      bind(calls.remove, async ({ body }, me, context) => {
        await removals.remove(me, body, context)
        return { id: body.id }
      })
    },
  }
}
