import { account, usages } from '@flotilla/contract/site/usage'
import type { Bind } from '../../http/bind'
import { readRange } from './ranges'
import type { Usage } from './usage'

export function bindUsage(bind: Bind, usage: Usage): void {
  bind(account.list, ({ query, ...path }) => usage.accounts(readRange(path), query.cluster))
  bind(account.details, async ({ userAccount, query, ...path }, _me, context) => {
    const { items, next } = await usage.jobs(userAccount, readRange(path), query)
    context.nextCursor(next)
    return items
  })
  bind(account.own, (path, me) => usage.own(me, readRange(path)))
  bind(account.ownJobs, async ({ query, ...path }, me, context) => {
    const { items, next } = await usage.ownJobs(me, readRange(path), query)
    context.nextCursor(next)
    return items
  })
  bind(usages.list, (path, me) => usage.clusters(me, readRange(path)))
  bind(usages.details, ({ clusterId, ...path }) => usage.nodes(clusterId, readRange(path)))
  bind(usages.periods, async ({ clusterId, kind, name, query, ...path }, _me, context) => {
    const { items, next } = await usage.periods({ clusterId, kind, name }, readRange(path), query)
    context.nextCursor(next)
    return items
  })
  bind(usages.jobs, async ({ clusterId, node, query, ...path }, _me, context) => {
    const { items, next } = await usage.nodeJobs(clusterId, node, readRange(path), query)
    context.nextCursor(next)
    return items
  })
  bind(usages.summary, ({ query, ...path }, me) => usage.summary(me, readRange(path), query))
}
