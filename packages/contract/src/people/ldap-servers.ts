import * as z from 'zod/mini'
import { eitherText } from '../count-text'
import { del, get, patch, post } from '../endpoint'
import { Dn, LdapEntry } from '../ldap-entry'
import { LDAP_SEARCH_MIN } from '../limits'
import { Id, Removed, Time } from '../lists'

const FILTER_MAX = 2000
const CA_MAX = 100_000
const GROUPS_MAX = 100

const text = (max: number) => z.string().check(z.trim(), z.maxLength(max, `Max character length is ${max}`))
const Groups = z.array(Dn.check(z.minLength(1, 'Enter a DN'))).check(z.maxLength(GROUPS_MAX))
const holds = (...placeholders: string[]) =>
  z.refine(
    (given) => given === '' || placeholders.some((one) => String(given).includes(one)),
    `Must contain ${eitherText(placeholders)}`,
  )

const PORT_MAX = 65_535
function isLdapUrl(given: string): boolean {
  const [, port = '389'] = /^ldaps?:\/\/(?:\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?\/?$/i.exec(given) ?? [
    null,
    '0',
  ]
  return Number(port) > 0 && Number(port) <= PORT_MAX
}

const fields = {
  name: text(64).check(z.minLength(2, 'Min character length is 2')),
  url: text(300).check(
    z.refine(isLdapUrl, 'Enter an address such as ldap://ldap.example.org or ldaps://ldap.example.org'),
  ),
  /** Whether an `ldap://` connection is encrypted before anything is sent. */
  startTls: z.boolean(),
  /** The PEM certificates that must have signed the server's; empty means the system's certificate authorities. */
  ca: text(CA_MAX),
  /** The account that the console searches with; empty means an anonymous search. */
  bindDn: Dn,
  /** Write-only. If empty, the stored password is kept. */
  admin_password: z.string().check(z.maxLength(1000)),
  baseDn: Dn.check(z.minLength(1, 'Enter a DN such as dc=example,dc=org')),
  /** The filter that finds a user by name. */
  userFilter: text(FILTER_MAX).check(holds('{username}')),
  /** The DN of a user by name: if set, there is no search before the bind. */
  userDnTemplate: Dn.check(holds('{username}')),
  /** Where groups are searched; empty means the groups in the user's `memberOf`. */
  groupBaseDn: Dn,
  /** The filter that finds a user's groups, by `{dn}` or `{username}`. */
  groupFilter: text(FILTER_MAX).check(holds('{dn}', '{username}')),
  /** Which groups grant which role. Without any group, an admin assigns roles on this site. */
  roleGroups: z.object({ admin: Groups, instructor: Groups, user: Groups }),
  /** Whether users can log in with it. */
  active: z.boolean(),
}
export const DEFAULT_USER_FILTER = '(uid={username})'
export const DEFAULT_GROUP_FILTER = '(|(member={dn})(uniqueMember={dn}))'
const noRoleGroups = () => ({ admin: [], instructor: [], user: [] })

export const LdapServerInput = z.object({
  ...fields,
  startTls: z._default(fields.startTls, false),
  ca: z._default(fields.ca, ''),
  bindDn: z._default(fields.bindDn, ''),
  admin_password: z._default(fields.admin_password, ''),
  userFilter: z._default(fields.userFilter, DEFAULT_USER_FILTER),
  userDnTemplate: z._default(fields.userDnTemplate, ''),
  groupBaseDn: z._default(fields.groupBaseDn, ''),
  groupFilter: z._default(fields.groupFilter, DEFAULT_GROUP_FILTER),
  roleGroups: z._default(fields.roleGroups, noRoleGroups),
  active: z._default(fields.active, true),
})
export const LdapServerUpdate = z.partial(z.object(fields))

/** What is stored besides the password, which is never returned. */
export const LdapSettings = z.omit(z.object(fields), { admin_password: true })
export type LdapSettings = z.infer<typeof LdapSettings>

export const LdapServer = z.extend(LdapSettings, {
  id: Id,
  /** Whether a password is stored. */
  passwordSet: z.boolean(),
  /** How many users log in with it. */
  people: z.number(),
  createdAt: Time,
})
export type LdapServer = z.infer<typeof LdapServer>

/** One step of a test. `warning`: it works, but something should be changed. */
export const LdapTestStep = z.object({
  step: z.string(),
  state: z.enum(['ok', 'warning', 'failed']),
  message: z.string(),
  ms: z.number(),
})
export type LdapTestStep = z.infer<typeof LdapTestStep>
const LdapTest = z.object({ ok: z.boolean(), steps: z.array(LdapTestStep) })
export type LdapTest = z.infer<typeof LdapTest>

export const ldapServers = {
  list: get('/api/ldap/servers', {
    summary: 'List the LDAP servers',
    access: 'admin',
    tokens: 'never',
    reply: z.array(LdapServer),
  }),
  create: post('/api/ldap/servers', {
    summary: 'Add an LDAP server',
    access: 'admin',
    tokens: 'never',
    confirm: 'because a directory decides who is an admin',
    body: LdapServerInput,
    reply: LdapServer,
    status: 201,
    failure: 'form',
  }),
  update: patch('/api/ldap/servers/:id', {
    summary: 'Update an LDAP server. An empty password leaves the stored one unchanged',
    access: 'admin',
    tokens: 'never',
    confirm: 'because a directory decides who is an admin',
    body: LdapServerUpdate,
    reply: LdapServer,
    failure: 'form',
  }),
  remove: del('/api/ldap/servers/:id', {
    summary: 'Delete an LDAP server. Ends the sessions of everyone who logs in with it',
    access: 'admin',
    tokens: 'never',
    reply: Removed,
  }),
  test: post('/api/ldap/servers/:id/test', {
    summary: 'Test an LDAP server step by step, with a sample user from the directory',
    access: 'admin',
    tokens: 'never',
    body: z.object({ username: z.optional(text(254)) }),
    reply: LdapTest,
    failure: 'caller',
  }),
  search: get('/api/ldap/search', {
    summary: 'Find people and groups of the active LDAP servers, to share a cluster with them',
    access: 'user',
    query: z.object({
      query: text(100).check(z.minLength(LDAP_SEARCH_MIN, `Enter at least ${LDAP_SEARCH_MIN} characters`)),
    }),
    reply: z.object({
      entries: z.array(LdapEntry),
      /** Servers that did not respond, with the reason. */
      problems: z.array(z.string()),
    }),
    failure: 'caller',
  }),
}
