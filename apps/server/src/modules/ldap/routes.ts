import { ldap as calls } from '@flotilla/contract/people/ldap'
import type { Bind } from '../../http/bind'
import type { Ldap } from './ldap'

export function bindLdap(bind: Bind, ldap: Ldap): void {
  bind(calls.active, () => ldap.active())
}
