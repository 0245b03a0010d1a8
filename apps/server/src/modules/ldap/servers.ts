import { X509Certificate } from 'node:crypto'
import type * as z from 'zod/mini'
import {
  LdapSettings,
  type LdapServer,
  type LdapServerInput,
  type LdapServerUpdate,
} from '@flotilla/contract/people/ldap-servers'
import { lockPerson } from '../../db/callers'
import { changesOf } from '../../changes'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import { addressOf, FORBIDDEN_ADDRESS, isForbidden } from '../../network/outgoing'
import { sealContext } from '../../secrets/sealed-values'
import type { Secrets } from '../../secrets/secrets'
import { record, subjectOf } from '../activities/activities'
import { notifyPeople } from '../sharing/sharing'
import type { Accounts } from './accounts'
import type { Directory } from './directory'
import { fill } from './names'
import { diagnose } from './diagnose'
import * as store from './store'

/** The name and the active flag have columns of their own. */
const settingsOf = ({ name, active, settings }: Pick<store.ServerRow, 'name' | 'active' | 'settings'>) =>
  LdapSettings.parse({ ...(settings as object), name, active })

const asServer = (row: store.ServerRow): LdapServer => ({
  ...settingsOf(row),
  id: row.id,
  passwordSet: row.sealed_password !== null,
  people: row.people,
  createdAt: row.created_at.getTime(),
})

type Options = { db: Database; secrets: Secrets; accounts: Accounts; now: () => number }

/** The LDAP servers that admins set up. */
export type Servers = ReturnType<typeof makeServers>
export function makeServers({ db, secrets, accounts, now }: Options) {
  const view = async (id: string): Promise<LdapServer> =>
    asServer((await store.find(db.kysely, id)) ?? fail('not_found'))
  const directoryOf = (
    row: Pick<store.ServerRow, 'id' | 'name' | 'active' | 'settings' | 'sealed_password'>,
  ): Directory => ({
    id: row.id,
    settings: settingsOf(row),
    password:
      row.sealed_password === null
        ? ''
        : secrets.open(row.sealed_password, sealContext.ldapServer(row.id)).toString(),
  })
  const columnsOf = ({ name, active, ...settings }: LdapSettings) => ({
    name,
    active,
    settings: JSON.stringify(settings),
  })

  return {
    async list(): Promise<LdapServer[]> {
      return (await store.list(db.kysely)).map(asServer)
    },
    active: () => store.active(db.kysely),

    /** Whether each active server can be used. */
    async statuses(): Promise<{ name: string; running: boolean; message: string }[]> {
      const rows = (await store.list(db.kysely)).filter(({ active }) => active)
      return Promise.all(
        rows.map(async (row) => {
          const { steps } = await diagnose(directoryOf(row), '', now)
          const failed = steps.find(({ state }) => state === 'failed')
          return { name: row.name, running: !failed, message: failed?.message ?? 'Responds' }
        }),
      )
    },

    /** The server with its password, to connect to it. */
    async directory(id: string): Promise<Directory | undefined> {
      const row = await store.find(db.kysely, id)
      return row && directoryOf(row)
    },
    async directories(): Promise<Directory[]> {
      return (await store.list(db.kysely)).map(directoryOf)
    },

    async create(
      me: Caller,
      { admin_password: password, ...settings }: z.output<typeof LdapServerInput>,
      context: RequestContext,
    ): Promise<LdapServer> {
      await requireUsable(settings)
      requireMatch(settings, password !== '')
      await context.requireConfirmation()
      const id = newId()
      await context.transaction(async (tx) => {
        await store.insert(tx, {
          id,
          ...columnsOf(settings),
          sealed_password: password === '' ? null : secrets.seal(password, sealContext.ldapServer(id)),
          created_at: new Date(now()),
        })
        await record(tx, me, context, {
          action: 'created',
          subject: subjectOf('LDAP server', { id, name: settings.name }),
          detail: settings.url,
        })
        await notifyPeople(tx, 'settings', [])
      })
      return view(id)
    },

    async update(
      me: Caller,
      id: string,
      { admin_password: password = '', ...change }: z.output<typeof LdapServerUpdate>,
      context: RequestContext,
    ): Promise<LdapServer> {
      await view(id)
      await requireUsable(change)
      await context.requireConfirmation()
      await context.transaction(async (tx) => {
        const row = (await store.lock(tx, id)) ?? fail('not_found')
        const before = settingsOf(row)
        const after = { ...before, ...change }
        // The stored password is not sent for another account, to another machine or without encryption unless it is
        // entered again.
        const movesPassword =
          after.url !== before.url || (before.startTls && !after.startTls) || after.bindDn !== before.bindDn
        if (row.sealed_password !== null && movesPassword && password === '' && after.bindDn !== '')
          fail('bad_input', {
            fields: {
              admin_password: 'Enter the password again: the address, encryption or bind DN has changed',
            },
          })
        requireMatch(after, password !== '' || row.sealed_password !== null)
        await store.update(tx, id, {
          ...columnsOf(after),
          ...(password !== '' && { sealed_password: secrets.seal(password, sealContext.ldapServer(id)) }),
          ...(after.bindDn === '' && { sealed_password: null }),
        })
        await record(tx, me, context, {
          action: 'edited',
          subject: subjectOf('LDAP server', { id, name: after.name }),
          changes: [
            ...changesOf(before, after),
            ...(password === '' ? [] : [{ field: 'admin_password', secret: true as const }]),
          ],
        })
        await notifyPeople(tx, 'settings', [])
      })
      return view(id)
    },

    /** Ends the sessions of its users, because their access could no longer be checked. */
    async remove(me: Caller, id: string, context: RequestContext): Promise<void> {
      await context.transaction(async (tx) => {
        // Users are locked before the server, in the same order as in a login.
        for (const account of await store.accountsOn(tx, id)) await lockPerson(tx, account.id)
        const { name } = (await store.lock(tx, id)) ?? fail('not_found')
        for (const account of await store.accountsOn(tx, id))
          await accounts.suspend(tx, account, `the LDAP server ${name} was deleted`)
        await store.remove(tx, id)
        await record(tx, me, context, { action: 'deleted', subject: subjectOf('LDAP server', { id, name }) })
        await notifyPeople(tx, 'settings', [])
      })
    },
  }
}

/** Checks fields that the contract cannot validate. */
async function requireUsable(given: Partial<LdapSettings>): Promise<void> {
  const { FilterParser } = await import('ldapts')
  const fields: Record<string, string> = {}
  for (const field of ['userFilter', 'groupFilter'] as const) {
    const filter = given[field]
    if (filter === undefined || filter === '') continue
    try {
      FilterParser.parseString(fill(filter, { username: 'a', dn: 'a' }))
    } catch {
      fields[field] = 'This is not an LDAP filter. Example: (uid={username})'
    }
  }
  if (given.ca) {
    try {
      const parts = given.ca.match(/-----BEGIN [^]*?-----END [^\n]*/g) ?? ['']
      parts.map((part) => new X509Certificate(part))
    } catch {
      fields.ca =
        'Paste one or more certificates in PEM format, each beginning with -----BEGIN CERTIFICATE-----'
    }
  }
  const host = given.url === undefined ? null : addressOf(new URL(given.url).hostname)
  if (host !== null && isForbidden(host)) fields.url = `This is ${FORBIDDEN_ADDRESS}. Enter another one.`
  if (Object.keys(fields).length > 0) fail('bad_input', { fields })
}

/** Checks fields that depend on each other. */
function requireMatch(settings: LdapSettings, hasPassword: boolean): void {
  const fields: Record<string, string> = {}
  if (settings.startTls && settings.url.toLowerCase().startsWith('ldaps:'))
    fields.startTls = 'An ldaps:// address is always encrypted. Use StartTLS with ldap://.'
  if (settings.userFilter === '' && settings.userDnTemplate === '')
    fields.userFilter = 'Enter a user filter or a DN template'
  if (settings.groupBaseDn !== '' && settings.groupFilter === '') fields.groupFilter = 'Enter a group filter'
  if (settings.bindDn !== '' && !hasPassword)
    fields.admin_password = 'Enter the password of the bind DN. Directories accept an empty one from anyone.'
  if (Object.keys(fields).length > 0) fail('bad_input', { fields })
}
