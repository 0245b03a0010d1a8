import { NAME_MAX } from '@flotilla/contract/limits'
import type { LdapEntry } from '@flotilla/contract/ldap-entry'
import type { LdapSettings } from '@flotilla/contract/people/ldap-servers'
import { Email } from '@flotilla/contract/email'
import { connect, type Connection, type Entry } from './connection'
import { isDisabled, STATUS_ATTRIBUTES } from './disabled'
import { dnKey, escapeDnValue, fill } from './names'
import { LdapProblem } from './problems'

/** An LDAP server with its settings and password. */
export type Directory = { id: string; settings: LdapSettings; password: string }
/** A user as the directory describes them. */
export type DirectoryPerson = {
  dn: string
  /** The permanent ID of the entry; null if the directory has none or does not reveal it. */
  entryId: string | null
  username: string
  firstName: string
  lastName: string
  /** Empty if there is no valid address. */
  email: string
  disabled: boolean
  /** DNs in comparable form. */
  groups: string[]
}

const ENTRY_IDS = ['entryUUID', 'objectGUID', 'ipaUniqueID', 'nsUniqueId']
const NAMES = ['uid', 'sAMAccountName', 'givenName', 'sn', 'cn', 'displayName', 'mail']
const ATTRIBUTES = [...NAMES, 'memberOf', ...ENTRY_IDS, ...STATUS_ATTRIBUTES]
const GROUPS_MAX = 1000
const FOUND_MAX = 20
const isGroup =
  '(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup)(objectClass=group))'

export async function withConnection<T>(
  { settings }: Pick<Directory, 'settings'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(settings)
  try {
    await connection.secure()
    return await work(connection)
  } finally {
    connection.close()
  }
}

/**
 * Binds as the search account. Without one, the connection stays anonymous or bound as the user who has just logged
 * in.
 */
export async function bindService(connection: Connection, { settings, password }: Directory): Promise<void> {
  if (settings.bindDn === '') return
  if (!(await connection.bind(settings.bindDn, password)))
    throw new LdapProblem(`The server rejected the bind DN ${settings.bindDn} or its password`)
}

/** The user with this name; null if there is none, or if several match and the result is ambiguous. */
export async function lookUp(
  connection: Connection,
  { settings }: Pick<Directory, 'settings'>,
  login: string,
  now: number,
): Promise<DirectoryPerson | null> {
  const entries = settings.userDnTemplate
    ? await readEntry(connection, userDn(settings, login))
    : await connection.search(settings.baseDn, {
        filter: fill(settings.userFilter, { username: connection.escapeFilter(login) }),
        scope: 'sub',
        attributes: ATTRIBUTES,
        limit: 2,
      })
  const [entry, another] = entries
  if (!entry || another) return null
  const person = personOf(entry, login, now)
  return { ...person, groups: await groupsOf(connection, settings, entry, person.username) }
}

const userDn = (settings: LdapSettings, login: string): string =>
  fill(settings.userDnTemplate, { username: escapeDnValue(login) })

/** The entry with this DN; none if it does not exist or the bind account may not see it. */
async function readEntry(connection: Connection, dn: string): Promise<Entry[]> {
  try {
    return await connection.search(dn, {
      filter: '(objectClass=*)',
      scope: 'base',
      attributes: [...ATTRIBUTES, 'objectClass', 'description'],
      limit: 1,
    })
  } catch (error) {
    if (error instanceof LdapProblem && (error.resultCode === 32 || error.resultCode === 34)) return []
    throw error
  }
}

function personOf(entry: Entry, login: string, now: number): Omit<DirectoryPerson, 'groups'> {
  const first = (...attributes: string[]) =>
    attributes.flatMap((attribute) => entry.values(attribute)).find((value) => value !== '') ?? ''
  const usernames = ['uid', 'sAMAccountName'].flatMap(entry.values).map((name) => name.toLowerCase())
  const [fullFirst = '', ...fullRest] = first('displayName', 'cn').split(' ')
  const email = Email.safeParse(first('mail'))
  return {
    dn: entry.dn,
    entryId: first(...ENTRY_IDS) || null,
    username: usernames.find((name) => name === login) ?? usernames[0] ?? login,
    firstName: (first('givenName') || fullFirst || login).slice(0, NAME_MAX),
    lastName: (first('sn') || fullRest.join(' ')).slice(0, NAME_MAX),
    email: email.success ? email.data : '',
    disabled: isDisabled(entry, now),
  }
}

async function groupsOf(
  connection: Connection,
  { groupBaseDn, groupFilter }: LdapSettings,
  person: Entry,
  username: string,
): Promise<string[]> {
  if (groupBaseDn === '') return person.values('memberOf').map(dnKey)
  const groups = await connection.search(groupBaseDn, {
    filter: fill(groupFilter, {
      dn: connection.escapeFilter(person.dn),
      username: connection.escapeFilter(username),
    }),
    scope: 'sub',
    attributes: ['1.1'],
    limit: GROUPS_MAX,
  })
  return groups.map(({ dn }) => dnKey(dn))
}

/** The user, if the directory accepts the password; a disabled entry is refused like a wrong password. */
export const authenticate = (
  directory: Directory,
  login: string,
  password: string,
  now: number,
): Promise<DirectoryPerson | null> =>
  withConnection(directory, async (connection) => {
    const { settings } = directory
    if (settings.userDnTemplate !== '') {
      if (!(await connection.bind(userDn(settings, login), password))) return null
      await bindService(connection, directory)
      const person = await lookUp(connection, directory, login, now)
      if (!person)
        throw new LdapProblem(`The entry of ${login} cannot be read, neither by its owner nor by the bind DN`)
      return person.disabled ? null : person
    }
    await bindService(connection, directory)
    const person = await lookUp(connection, directory, login, now)
    // Unknown names are bound too, so that timing does not reveal which names exist.
    const dn = person?.dn ?? `cn=no such user,${settings.baseDn}`
    const accepted = await connection.bind(dn, password)
    return accepted && person && !person.disabled ? person : null
  })

/** Users and groups whose name contains the text. */
export const searchEntries = (directory: Directory, text: string): Promise<LdapEntry[]> =>
  withConnection(directory, async (connection) => {
    await bindService(connection, directory)
    const { settings } = directory
    const part = `*${connection.escapeFilter(text)}*`
    const anyOf = (...attributes: string[]) => `(|${attributes.map((name) => `(${name}=${part})`).join('')})`
    // Only users who can log in are searched.
    const isPerson = settings.userDnTemplate
      ? '(objectClass=person)'
      : fill(settings.userFilter, { username: '*' })
    const named = anyOf('uid', 'sAMAccountName', 'cn', 'displayName', 'mail')
    const search = (base: string, filter: string) =>
      connection.search(base, {
        filter,
        scope: 'sub',
        attributes: [...NAMES, 'objectClass', 'description'],
        limit: FOUND_MAX,
      })
    const people = await search(settings.baseDn, `(&${isPerson}${named})`)
    const groups = await search(settings.groupBaseDn || settings.baseDn, `(&${isGroup}${anyOf('cn')})`)
    return [...people, ...groups].map((entry) => entryOf(directory.id, entry))
  })

/** The user or group with this DN, or null; restricted to the subtrees in which users and groups are searched. */
export const findEntry = (directory: Directory, dn: string): Promise<LdapEntry | null> =>
  withConnection(directory, async (connection) => {
    await bindService(connection, directory)
    const { baseDn, groupBaseDn } = directory.settings
    const isBelow = (base: string) => base !== '' && dnKey(dn).endsWith(`,${dnKey(base)}`)
    const [entry] = isBelow(baseDn) || isBelow(groupBaseDn) ? await readEntry(connection, dn) : []
    return entry ? entryOf(directory.id, entry) : null
  })

const GROUP_CLASSES = new Set(['groupofnames', 'groupofuniquenames', 'posixgroup', 'group'])
function entryOf(serverId: string, entry: Entry): LdapEntry {
  const first = (attribute: string) => entry.values(attribute)[0] ?? ''
  const group = entry.values('objectClass').some((name) => GROUP_CLASSES.has(name.toLowerCase()))
  const username = first('uid') || first('sAMAccountName')
  return {
    serverId,
    dn: entry.dn,
    kind: group ? 'group' : 'person',
    name: first('displayName') || first('cn') || username || entry.dn,
    detail: group ? first('description') : [username, first('mail')].filter(Boolean).join(', '),
  }
}
