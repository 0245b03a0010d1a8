import * as z from 'zod/mini'
import { LDAP_COLLABORATORS_MAX } from './limits'
import { Id } from './lists'

const DN_MAX = 1000
/** A distinguished name or an empty string. */
export const Dn = z.string().check(
  z.trim(),
  z.maxLength(DN_MAX, `Max character length is ${DN_MAX}`),
  z.refine((dn) => dn === '' || dn.includes('='), 'Enter a DN such as dc=example,dc=org'),
)

/** Names an entry of a directory. */
export const LdapEntryRef = z.object({ serverId: Id, dn: Dn.check(z.minLength(1, 'Enter a DN')) })
export type LdapEntryRef = z.infer<typeof LdapEntryRef>

/** A person or group of a directory that something can be shared with. */
export const LdapCollaborator = z.extend(LdapEntryRef, {
  kind: z.enum(['person', 'group']),
  name: z.string(),
})
export type LdapCollaborator = z.infer<typeof LdapCollaborator>

/**
 * The collaborators sent when a cluster is saved. `kind` and `name` may be included: the server looks up every new
 * entry itself.
 */
export const LdapCollaborators = z
  .array(z.extend(LdapEntryRef, z.partial(z.pick(LdapCollaborator, { kind: true, name: true })).shape))
  .check(z.maxLength(LDAP_COLLABORATORS_MAX))

export const LdapEntry = z.extend(LdapCollaborator, {
  /** A person's username and email address, or a group's description. */
  detail: z.string(),
})
export type LdapEntry = z.infer<typeof LdapEntry>
