import { account, usages } from '@flotilla/contract/site/usage'
import type { Bind } from '../../http/bind'
import { readRange } from './ranges'
import type { Usage } from './usage'

export function bindUsage(bind: Bind, usage: Usage): void {
  bind(account.list, ({ query, ...path }, me) => usage.accounts(me, readRange(path), query.cluster))
  bind(account.details, async ({ userAccount, query, ...path }, me, context) => {
    const { items, next } = await usage.jobs(me, userAccount, readRange(path), query)
    context.nextCursor(next)
    return items
  })
  bind(usages.list, (path, me) => usage.clusters(me, readRange(path)))
  bind(usages.details, ({ clusterId, ...path }, me) => usage.nodes(me, clusterId, readRange(path)))
  bind(usages.periods, async ({ clusterId, kind, name, query, ...path }, me, context) => {
    const { items, next } = await usage.periods(me, { clusterId, kind, name }, readRange(path), query)
    context.nextCursor(next)
    return items
  })
  bind(usages.jobs, async ({ clusterId, node, query, ...path }, me, context) => {
    const { items, next } = await usage.nodeJobs(me, clusterId, node, readRange(path), query)
    context.nextCursor(next)
    return items
  })
  bind(usages.summary, ({ query, ...path }, me) => usage.summary(me, readRange(path), query))
}
