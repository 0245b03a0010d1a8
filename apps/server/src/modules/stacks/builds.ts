import type { ProviderId } from '@flotilla/contract/config'
import type { Stack, StackInput } from '@flotilla/contract/stacks-entity'
import type { Database, Queryable, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import type { ProviderFacts } from '../../providers/provider'
import type { Queue } from '../../queue/queue'
import { record } from '../activities/activities'
import { notePlace } from '../leftovers/leftovers'
import { refuseUnfinished } from './check'
import { buildTask, LOG } from './runs'
import type { Stacks } from './stacks'
import * as store from './store'
import { peopleOf, tellStacksChanged } from './tell'
import { dataOf } from './view'

type Options = {
  db: Database
  queue: Queue
  stacks: Stacks
  facts: (provider: ProviderId) => ProviderFacts
  /** Refuses what could not come to a good end. */
  refuseUnbuildable(stack: store.FoundStack): Promise<void>
  /** Refuses when the owner of the stack may not use its credential any more. */
  requireCredential(on: Queryable, stack: store.FoundStack): Promise<void>
  now: () => number
}

export type Builds = ReturnType<typeof makeBuilds>
/** What people do about the builds of stacks. */
export function makeBuilds(options: Options) {
  const { db, queue, stacks, facts, refuseUnbuildable, requireCredential, now } = options
  const { find, view, mine, locked, require, check, save } = stacks

  /** The state while it is built, and the work itself, in one transaction. */
  const begin = async (tx: Transaction, stack: store.FoundStack, me: Caller, context: RequestContext) => {
    const { state, version } = await locked(tx, stack.id, 'build')
    const run = newId()
    const at = new Date(now())
    const actor = { actor_id: me.id, actor: me.username }
    await store.beginRun(tx, { id: run, stack_id: stack.id, ...actor, began_at: at, version })
    await store.clearLogs(tx, stack.id, LOG)
    await notePlace(tx, stack.credential_id, dataOf(stack).region_id)
    await store.update(tx, stack.id, { state: 'building', state_since: at, cause: null })
    await queue.add(tx, buildTask, { run }, { queue: `stack ${stack.id}` })
    const deed = { action: 'build started', subject: `stack ${stack.name}`, detail: `from ${state}` }
    await record(tx, me, context, deed)
    await tellStacksChanged(tx, peopleOf(stack))
  }

  return {
    async build(
      me: Caller,
      id: string,
      input: StackInput | undefined,
      context: RequestContext,
    ): Promise<Stack> {
      const before = await mine(me, id, context)
      require('build', before.state)
      if (input) {
        await check(me, input, before)
        await context.transaction((tx) => save(tx, before, input, {}))
      }
      const stack = await find(me, id)
      refuseUnfinished(facts(stack.provider), stack)
      await requireCredential(db.kysely, stack)
      await refuseUnbuildable(stack)
      await context.transaction((tx) => begin(tx, stack, me, context))
      return view(me, id)
    },

    /** The changes by hand are done: what waited for them goes on. */
    async finalize(me: Caller, id: string, context: RequestContext): Promise<Stack> {
      const stack = await mine(me, id, context)
      require('finalize', stack.state)
      await requireCredential(db.kysely, stack)
      const run = (await store.runOf(db.kysely, id)) ?? fail('wrong_state')
      await context.transaction(async (tx) => {
        await locked(tx, id, 'finalize')
        await store.updateRun(tx, run.id, { finalized: true })
        await store.update(tx, id, { state: 'building', state_since: new Date(now()), open: null })
        await store.addLogs(tx, id, LOG, new Date(now()), [
          'The changes by hand are done: the image is captured',
        ])
        await queue.add(tx, buildTask, { run: run.id }, { queue: `stack ${id}` })
        await record(tx, me, context, { action: 'build finalized', subject: `stack ${stack.name}` })
        await tellStacksChanged(tx, peopleOf(stack))
      })
      return view(me, id)
    },

    async cancel(me: Caller, id: string, context: RequestContext): Promise<Stack> {
      const stack = await mine(me, id, context)
      require('cancel', stack.state)
      await context.transaction(async (tx) => {
        const { state } = await locked(tx, id, 'cancel')
        const run = (await store.runOf(tx, id)) ?? fail('wrong_state')
        await store.updateRun(tx, run.id, { cancel_asked: true })
        if (state === 'customize') {
          await store.update(tx, id, { state: 'building', state_since: new Date(now()), open: null })
          await queue.add(tx, buildTask, { run: run.id }, { queue: `stack ${id}` })
        }
        await record(tx, me, context, { action: 'build canceled', subject: `stack ${stack.name}` })
        await tellStacksChanged(tx, peopleOf(stack))
      })
      return view(me, id)
    },
  }
}
