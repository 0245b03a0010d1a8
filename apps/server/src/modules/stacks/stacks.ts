import type { ProviderId } from '@flotilla/contract/site/config'
import type { Page } from '@flotilla/contract/lists'
import {
  stackLogTypes,
  type Stack,
  type StackFileField,
  type StackInput,
} from '@flotilla/contract/stacks/entity'
import type { StackChoices } from '@flotilla/contract/stacks/stack-choices'
import type { StackAction } from '@flotilla/contract/stacks/states'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import type { ImageBuilder } from '../../providers/image/image'
import { sealContext } from '../../secrets/sealed-values'
import { record, subjectOf } from '../activities/activities'
import type { UsedBy } from '../credentials/credentials'
import {
  changeShares,
  finders,
  isMine,
  makeShare,
  notifyPeople,
  peopleOf,
  viewerOf,
  visiblePage,
} from '../sharing/sharing'
import { makeEdit, requireState, type EditOptions } from './edit'
import { applyFiles, type Uploaded } from './files'
import * as store from './store'
import { asStack, imagesOf } from './view'

type Options = EditOptions & {
  db: Database
  /** Null if the provider does not build images. */
  imageBuilder: (provider: ProviderId) => Promise<ImageBuilder | null>
  simulated: boolean
}

/** The stacks that use credentials, which must be kept for rebuilding them. */
export const stacksMadeWith: UsedBy = async (db, credentialIds) =>
  (await store.madeWith(db, credentialIds)).map((stack) => ({ kind: 'stack', ...stack }))

export type Stacks = ReturnType<typeof makeStacks>
export function makeStacks(options: Options) {
  const { db, secrets, facts, imageBuilder, simulated, now } = options
  const { check, columns, save } = makeEdit(options)

  const { find, mine } = finders('stack', (id, viewer) => store.find(db.kysely, id, viewer))
  const view = async (me: Caller, id: string): Promise<Stack> => asStack(await find(me, id), me, simulated)

  const locked = async (tx: Transaction, id: string, action: StackAction) => {
    const row = (await store.lock(tx, id)) ?? fail('not_found')
    requireState(action, row.state)
    return row
  }

  const share = (tx: Transaction, id: string, { collaborators }: StackInput) =>
    changeShares(tx, 'stacks', id, collaborators, 'stack.collaborators')

  return {
    find,
    view,
    mine,
    locked,
    check,
    save,

    /** The images that clusters of this stack start from, for head nodes and for all others. */
    async imageOf(stackId: string | null) {
      const stack = stackId === null ? undefined : await store.findAny(db.kysely, stackId)
      const node = stack?.images.find(({ role }) => role === 'node')
      if (!stack || !node) return null
      const server = stack.images.find(({ role }) => role === 'server')
      return {
        id: node.image_id,
        headId: server?.image_id ?? node.image_id,
        manager: node.manager,
        region: node.region,
        plan: node.plan,
      }
    },
    /** The settings that a stack determines for its clusters, whether it is built or not. */
    async choicesOf(stackId: string): Promise<StackChoices | null> {
      const stack = await store.findAny(db.kysely, stackId)
      return stack
        ? { ...stack.data, edited: stack.built_version !== null && stack.built_version !== stack.version }
        : null
    },
    /** Whether this user may start clusters of this provider from the stack. */
    mayUse: async (me: Caller, id: string, provider: string): Promise<boolean> =>
      (await store.find(db.kysely, id, viewerOf(me)))?.provider === provider,

    async list(me: Caller, page: Page): Promise<{ items: Stack[]; next: string | null }> {
      const { items, next } = await visiblePage(db.kysely, me, page, store.list)
      return { items: items.map((row) => asStack(row, me, simulated)), next }
    },

    async logs(me: Caller, id: string, type: string, after: number, search: string | undefined) {
      await find(me, id)
      if (!stackLogTypes.some((one) => one === type)) fail('not_found')
      return store.logs(db.kysely, id, type, after, search)
    },

    async file(me: Caller, id: string, field: StackFileField, name: string) {
      const stack = await find(me, id)
      // Scripts may contain secrets.
      if (!isMine(me, stack)) fail('forbidden')
      const found = (await store.file(db.kysely, id, field, name)) ?? fail('not_found')
      return { name, content: new Uint8Array(found.bytes) }
    },

    async imagesInfo(me: Caller, provider: ProviderId) {
      const builder = await imageBuilder(provider)
      const rows = await store.withImages(db.kysely, viewerOf(me), provider)
      return {
        publicImages: facts(provider).osTypes.map(({ id, name, endOfLife, unavailable }) => ({
          osType: id,
          name,
          ...(builder?.publicImage(id) ?? { image: '', publisher: '' }),
          username: builder?.username(id) ?? '',
          ...(endOfLife !== undefined && { endOfLife }),
          ...(unavailable !== undefined && { unavailable }),
        })),
        stacks: rows.map((row) => ({
          id: row.id,
          name: row.name,
          manager: row.data.manager,
          images: imagesOf(row),
        })),
      }
    },

    async create(me: Caller, input: StackInput, uploaded: Uploaded, context: RequestContext): Promise<Stack> {
      await check(me, input)
      const id = newId()
      await context.transaction(async (tx) => {
        const at = new Date(now())
        await store.insert(tx, {
          id,
          owner_id: me.id,
          provider: input.provider,
          state: 'none',
          state_since: at,
          created_at: at,
          ...columns(input, id),
        })
        await applyFiles(tx, id, [], undefined, uploaded)
        const { people } = await share(tx, id, input)
        await record(tx, me, context, {
          action: 'created',
          subject: { kind: 'stack', id, name: input.name },
          detail: facts(input.provider).name,
        })
        await notifyPeople(tx, 'stacks', people)
      })
      return view(me, id)
    },

    async update(
      me: Caller,
      input: StackInput & { id: string },
      uploaded: Uploaded,
      context: RequestContext,
    ): Promise<Stack> {
      const stack = await mine(me, input.id, context)
      await check(me, input, stack)
      await context.transaction(async (tx) => {
        const edits = await save(tx, input, uploaded)
        const { people, changes } = await share(tx, stack.id, input)
        await record(tx, me, context, {
          action: 'edited',
          subject: subjectOf('stack', input),
          changes: [...edits, ...changes],
        })
        await notifyPeople(tx, 'stacks', people)
      })
      return view(me, input.id)
    },

    setCollaborators: makeShare('stacks', { mine, view }),

    async remove(me: Caller, id: string, provider: string | undefined, context: RequestContext) {
      const stack = await mine(me, id, context)
      if (provider !== undefined && provider !== stack.provider)
        fail('bad_input', { fields: { provider: `This stack belongs to ${facts(stack.provider).name}` } })
      await context.transaction(async (tx) => {
        await locked(tx, id, 'remove')
        const clusters = await store.clustersOf(tx, id)
        if (clusters.length > 0) {
          const names = clusters.slice(0, 5).map(({ name }) => name)
          const more = clusters.length > names.length ? ` and ${clusters.length - names.length} more` : ''
          fail('in_use', { message: `Still used by clusters: ${names.join(', ')}${more}` })
        }
        const images = [...stack.images, ...(await store.olderImages(tx, id))].map((one) => one.image_id)
        await store.remove(tx, id)
        const detail = images.length > 0 ? `images remaining in the cloud: ${images.join(', ')}` : ''
        await record(tx, me, context, { action: 'deleted', subject: subjectOf('stack', stack), detail })
        await notifyPeople(tx, 'stacks', peopleOf(stack))
      })
    },

    rhelKey: ({ id, sealed_activation_key }: store.FoundStack): string =>
      sealed_activation_key === null
        ? ''
        : secrets.open(sealed_activation_key, sealContext.stackRhelKey(id)).toString(),
  }
}
