import {
  DEFAULT_GROUP_FILTER,
  DEFAULT_USER_FILTER,
  LdapSettings,
  type LdapServer,
} from '@flotilla/contract/people/ldap-servers'
import * as z from 'zod/mini'
import type { ZodForm } from '../../../forms/use-zod-form'

/** A list with one DN per line, because DNs contain commas and spaces. */
const Lines = z
  .string()
  .check(z.refine((text) => linesOf(text).every((line) => line.includes('=')), 'Enter one DN per line'))
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

export const ServerFields = z.object({
  ...z.omit(LdapSettings, { roleGroups: true }).shape,
  admin_password: z.string(),
  findBy: z.enum(['search', 'template']),
  adminGroups: Lines,
  instructorGroups: Lines,
  userGroups: Lines,
})
type Fields = z.infer<typeof ServerFields>
export type ServerForm = ZodForm<Fields, Fields>

const empty: Fields = {
  name: '',
  url: '',
  startTls: false,
  ca: '',
  bindDn: '',
  admin_password: '',
  baseDn: '',
  findBy: 'search',
  userFilter: DEFAULT_USER_FILTER,
  userDnTemplate: '',
  groupBaseDn: '',
  groupFilter: DEFAULT_GROUP_FILTER,
  adminGroups: '',
  instructorGroups: '',
  userGroups: '',
  active: true,
}

export function fieldsOf(server: LdapServer | null): Fields {
  if (!server) return empty
  const { id: _id, passwordSet: _set, people: _people, createdAt: _at, roleGroups, ...settings } = server
  return {
    ...empty,
    ...settings,
    findBy: settings.userDnTemplate === '' ? 'search' : 'template',
    adminGroups: roleGroups.admin.join('\n'),
    instructorGroups: roleGroups.instructor.join('\n'),
    userGroups: roleGroups.user.join('\n'),
  }
}

/** The request body. An empty password is omitted, so that the stored one is kept. */
export function inputOf(fields: Fields) {
  const { findBy, adminGroups, instructorGroups, userGroups, admin_password, ...settings } = fields
  return {
    ...settings,
    ...(admin_password !== '' && { admin_password }),
    userDnTemplate: findBy === 'template' ? settings.userDnTemplate : '',
    userFilter: settings.userFilter || DEFAULT_USER_FILTER,
    roleGroups: {
      admin: linesOf(adminGroups),
      instructor: linesOf(instructorGroups),
      user: linesOf(userGroups),
    },
  }
}
