import { dashboard as calls } from '@flotilla/contract/clusters/dashboard'
import type { Bind } from '../../http/bind'
import { makeDashboard, type Options } from './dashboard'

export function openDashboard(deps: Options) {
  const dashboard = makeDashboard(deps)
  return {
    bind(bind: Bind): void {
      bind(calls.view, (_input, me) => dashboard.view(me))
      bind(calls.firstRun, (_input, me) => dashboard.firstRun(me))
    },
  }
}
