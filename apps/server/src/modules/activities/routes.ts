import { activities as calls } from '@flotilla/contract/people/activities'
import type { Bind } from '../../http/bind'
import type { Activities } from './activities'

export function bindActivities(bind: Bind, activities: Activities): void {
  bind(calls.list, async ({ query }, _me, context) => {
    const { items, next } = await activities.list(query)
    context.nextCursor(next)
    return items
  })
}
