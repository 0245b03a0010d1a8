import * as z from 'zod/mini'
import { get } from '../endpoint'
import { Id } from '../lists'

export const ActiveLdapServer = z.object({ id: Id, name: z.string() })
export type ActiveLdapServer = z.infer<typeof ActiveLdapServer>

export const ldap = {
  active: get('/api/ldap/servers/active', {
    summary: 'List the names of the active LDAP servers',
    access: 'everyone',
    reply: z.array(ActiveLdapServer),
    failure: 'caller',
  }),
}
