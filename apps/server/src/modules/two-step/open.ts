import { twoStep as calls } from '@flotilla/contract/site/two-step'
import type { Bind } from '../../http/bind'
import { makeTwoStep } from './two-step'

export function openTwoStep(deps: Parameters<typeof makeTwoStep>[0]) {
  const api = makeTwoStep(deps)
  const bindTwoStep = (bind: Bind): void => {
    bind(calls.list, () => api.list())
    bind(calls.add, ({ body }, me, context) => api.add(me, body, context))
    bind(calls.update, ({ id, body }, me, context) => api.update(me, id, body, context))
  }
  return { api, bind: bindTwoStep }
}
