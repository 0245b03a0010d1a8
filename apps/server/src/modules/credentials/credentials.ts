import type * as z from 'zod/mini'
import { isAdmin } from '@flotilla/contract/access'
import type { ProviderId } from '@flotilla/contract/site/config'
import type {
  Credential,
  CredentialChoice,
  CredentialInput,
  CredentialUpdate,
  CredentialUse,
} from '@flotilla/contract/clouds/credentials'
import type { Page } from '@flotilla/contract/lists'
import { changesOf } from '../../changes'
import type { Queryable } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import type { CredentialData } from '../../providers/fields/credential-data'
import type { Secrets } from '../../secrets/secrets'
import { record, subjectOf } from '../activities/activities'
import {
  belongsTo,
  changeShares,
  finders,
  makeShare,
  notifyPeople,
  peopleOf,
  viewerOf,
  visiblePage,
} from '../sharing/sharing'
import type { Settings } from '../settings/settings'
import { makeSealedData } from './sealed-data'
import * as store from './store'
import { makeAccountQueries, type CloudOptions } from './account-queries'
import { asChoice, asCredential, changedFields, mergedData } from './view'

/** What uses these credentials. Each module that uses credentials adds a function. */
export type UsedBy = (db: Queryable, ids: string[]) => Promise<(CredentialUse & { credentialId: string })[]>

type Options = CloudOptions & {
  secrets: Secrets
  requireProvider: Settings['requireProvider']
  usedBy: UsedBy[]
}

const USED_EVERY_MS = 60_000

/** The owner, provider and credential of a cluster or stack. */
type MadeWith = Parameters<Settings['requireProvider']>[1] & { credential_id: string | null }

export type Credentials = ReturnType<typeof makeCredentials>
export function makeCredentials(options: Options) {
  const { db, secrets, facts, requireProvider, usedBy, now } = options
  const { dataOf, sealed } = makeSealedData(secrets)

  const { find, mine } = finders('credential', (id, viewer) => store.find(db.kysely, id, viewer))

  const usesOf = async (on: Queryable, ids: string[]) =>
    ids.length === 0 ? [] : (await Promise.all(usedBy.map((usersOf) => usersOf(on, ids)))).flat()

  const views = async (rows: store.FoundCredential[]): Promise<Credential[]> => {
    const uses = await usesOf(
      db.kysely,
      rows.map(({ id }) => id),
    )
    return rows.map((row) =>
      asCredential(
        row,
        facts(row.provider),
        dataOf(row),
        uses.filter(({ credentialId }) => credentialId === row.id).length,
      ),
    )
  }
  const view = async (me: Caller, id: string): Promise<Credential> =>
    (await views([await find(me, id)]))[0] ?? fail('not_found')

  return {
    /** Whether the user may deploy with the credential. */
    mayUse: async (me: Pick<Caller, 'id' | 'role'>, id: string): Promise<boolean> =>
      (await store.find(db.kysely, id, viewerOf(me))) !== undefined,

    /** Fails unless the owner may still use the provider and the credential; checked before anything new is created. */
    async requireFor(on: Queryable, thing: MadeWith): Promise<void> {
      await requireProvider(on, thing)
      const { owner_id, owner, credential_id } = thing
      if (credential_id === null) return
      const { name, usable } = (await store.usableBy(on, credential_id, owner_id)) ?? fail('not_found')
      if (!usable)
        fail('forbidden', {
          message: `${owner} can no longer use the credential ${name}. Share it with them again, or choose another one.`,
        })
    },

    /** Fails unless the credential is the admin's own or shared with them, or the request has admin scope. */
    async requireScope(me: Caller, id: string, context: RequestContext): Promise<void> {
      if (!context.adminScope && !belongsTo(await find(me, id), me.id)) fail('admin_scope_needed')
    },

    /** The credentials that the user may deploy with. */
    listFor: async (me: Pick<Caller, 'id' | 'role'>): Promise<CredentialChoice[]> =>
      (await store.list(db.kysely, viewerOf(me), 1000)).map(asChoice),

    /** The secret values, for work on behalf of `me`, or of the system itself without `me`. */
    async use(
      id: string,
      me?: Pick<Caller, 'id' | 'role'>,
    ): Promise<{ provider: ProviderId; data: CredentialData }> {
      const row = me ? await find(me, id) : ((await store.findAny(db.kysely, id)) ?? fail('not_found'))
      const at = new Date(now())
      await db.transaction(async (tx) => {
        if (await store.noteUsed(tx, id, at, new Date(now() - USED_EVERY_MS)))
          await notifyPeople(tx, 'credentials', [])
      })
      return { provider: row.provider, data: dataOf(row) }
    },

    async list(
      me: Caller,
      page: Page,
    ): Promise<{ items: (Credential | CredentialChoice)[]; next: string | null }> {
      const { items, next } = await visiblePage(db.kysely, me, page, store.list)
      return { items: isAdmin(me) ? await views(items) : items.map(asChoice), next }
    },

    async create(
      me: Caller,
      { name, description, provider, collaborators, data }: z.output<typeof CredentialInput>,
      context: RequestContext,
    ): Promise<Credential> {
      const id = newId()
      const kept = mergedData(facts(provider), data, {}, 'credentials.data')
      await context.transaction(async (tx) => {
        const at = new Date(now())
        const row = { id, owner_id: me.id, name, description, provider, created_at: at, updated_at: at }
        await store.insert(tx, { ...row, sealed_data: sealed(id, kept) })
        const { people } = await changeShares(
          tx,
          'credentials',
          id,
          collaborators,
          'credentials.collaborators',
        )
        await record(tx, me, context, {
          action: 'created',
          subject: { kind: 'credential', id, name },
          detail: facts(provider).name,
        })
        await notifyPeople(tx, 'credentials', people)
      })
      return view(me, id)
    },

    async update(
      me: Caller,
      { id, provider, data, ...rest }: z.output<typeof CredentialUpdate>,
      context: RequestContext,
    ): Promise<Credential> {
      const row = await mine(me, id, context)
      if (provider !== undefined && provider !== row.provider)
        fail('bad_input', {
          fields: {
            'credentials.provider': 'The provider of a credential cannot change. Create a new credential.',
          },
        })
      await context.transaction(async (tx) => {
        const locked = (await store.lock(tx, id)) ?? fail('not_found')
        const before = dataOf({ id, ...locked })
        const after = mergedData(facts(row.provider), data, before, 'credentials.data')
        const changed = changedFields(before, after)
        await store.update(tx, id, {
          ...(rest.name !== undefined && { name: rest.name }),
          ...(rest.description !== undefined && { description: rest.description }),
          // Test results of other values do not apply to these.
          ...(changed.length > 0 && { sealed_data: sealed(id, after), last_test: null }),
          updated_at: new Date(now()),
        })
        await record(tx, me, context, {
          action: 'edited',
          subject: { kind: 'credential', id, name: rest.name ?? row.name },
          detail: changed.join(', '),
          changes: [
            ...changesOf(row, { name: rest.name, description: rest.description }),
            ...changed.map((field) => ({ field: `data.${field}`, secret: true as const })),
          ],
        })
        await notifyPeople(tx, 'credentials', peopleOf(row))
      })
      return view(me, id)
    },

    setCollaborators: makeShare('credentials', { mine, view }),

    async uses(me: Caller, id: string): Promise<CredentialUse[]> {
      await find(me, id)
      return (await usesOf(db.kysely, [id])).map(asUse)
    },

    async remove(me: Caller, id: string, context: RequestContext): Promise<void> {
      const row = await mine(me, id, context)
      await context.transaction(async (tx) => {
        // A concurrent request that uses the credential waits for this lock and then finds the credential gone.
        if (!(await store.lock(tx, id))) fail('not_found')
        const uses = (await usesOf(tx, [id])).map(asUse)
        if (uses.length > 0) fail('in_use', { message: whatUses(uses), extras: { uses } })
        await store.remove(tx, id)
        await record(tx, me, context, { action: 'deleted', subject: subjectOf('credential', row) })
        await notifyPeople(tx, 'credentials', peopleOf(row))
      })
    },

    ...makeAccountQueries({ ...options, dataOf, find, mine }),
  }
}

const asUse = ({ kind, id, name }: CredentialUse): CredentialUse => ({ kind, id, name })
const NAMED = 5
function whatUses(uses: CredentialUse[]): string {
  const named = uses.slice(0, NAMED).map(({ kind, name }) => `${kind} ${name}`)
  const more = uses.length > NAMED ? ` and ${uses.length - NAMED} more` : ''
  return `Still used by ${named.join(', ')}${more}`
}
