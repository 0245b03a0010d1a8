import { ldap as calls } from '@flotilla/contract/people/ldap'
import { ldapServers as serverCalls } from '@flotilla/contract/people/ldap-servers'
import { fail } from '../../fail'
import type { Bind } from '../../http/bind'
import { diagnose } from './diagnose'
import type { Ldap } from './ldap'
import type { Servers } from './servers'

export function bindLdap(bind: Bind, ldap: Ldap, servers: Servers, now: () => number): void {
  bind(calls.active, () => ldap.active())
  bind(serverCalls.list, () => servers.list())
  bind(serverCalls.create, ({ body }, me, context) => servers.create(me, body, context))
  bind(serverCalls.update, ({ id, body }, me, context) => servers.update(me, id, body, context))
  bind(serverCalls.remove, async ({ id }, me, context) => {
    await servers.remove(me, id, context)
    return { id }
  })
  bind(serverCalls.test, async ({ id, body }) => {
    const directory = (await servers.directory(id)) ?? fail('not_found')
    return diagnose(directory, body.username ?? '', now)
  })
  bind(serverCalls.search, ({ query }) => ldap.search(query.query))
}
