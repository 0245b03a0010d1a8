import { credentials as calls } from '@flotilla/contract/clouds/credentials'
import type { Bind } from '../../http/bind'
import type { Credentials } from './credentials'

export function bindCredentials(bind: Bind, credentials: Credentials): void {
  bind(calls.list, async ({ query }, me, context) => {
    const { items, next } = await credentials.list(me, query)
    context.nextCursor(next)
    return items
  })
  bind(calls.create, ({ body }, me, context) => credentials.create(me, body, context))
  bind(calls.update, ({ body }, me, context) => credentials.update(me, body, context))
  bind(calls.collaborators, async ({ body }, me, context) => ({
    credential: await credentials.setCollaborators(me, body.id, body.collaborators, context),
  }))
  bind(calls.remove, async ({ id }, me, context) => {
    await credentials.remove(me, id, context)
    return { id }
  })
  bind(calls.test, ({ body }, me, context) => credentials.test(me, body, context))
  bind(calls.choices, ({ id, query }, me) => credentials.choices(me, id, query))
  bind(calls.uses, ({ id }, me) => credentials.uses(me, id))
}
