import type { ProviderId } from '@flotilla/contract/site/config'
import type { Stack, StackInput } from '@flotilla/contract/stacks/entity'
import { stackStateText } from '@flotilla/contract/stacks/states'
import type { Database, Queryable, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import type { Catalog, ProviderFacts } from '../../providers/provider'
import type { Queue } from '../../queue/queue'
import { record, subjectOf } from '../activities/activities'
import type { Leftovers } from '../leftovers/leftovers'
import { requireState } from './edit'
import { refuseUnfinished } from './check'
import { closeOpen, LOG, stackRuns } from './runs'
import type { Stacks } from './stacks'
import { notifyPeople, peopleOf } from '../sharing/sharing'
import * as store from './store'

type Options = {
  db: Database
  queue: Queue
  stacks: Stacks
  facts: (provider: ProviderId) => ProviderFacts
  catalog: (provider: ProviderId, region: string) => Promise<Catalog | null>
  /** Fails for a stack whose build could not succeed. */
  refuseUnbuildable(stack: store.FoundStack): Promise<void>
  /** Fails if the owner of the stack may no longer use its credential. */
  requireCredential(on: Queryable, stack: store.FoundStack): Promise<void>
  notePlace: Leftovers['notePlace']
  now: () => number
}

const failNotBuilding = () => fail('wrong_state', { message: 'No build is in progress' })

export type Builds = ReturnType<typeof makeBuilds>
/** The actions of users on builds. */
export function makeBuilds(options: Options) {
  const { db, queue, stacks, facts, catalog, refuseUnbuildable, requireCredential, notePlace, now } = options
  const { find, view, mine, locked, check, save } = stacks

  /** Sets the state and starts the run in one transaction. */
  const begin = async (tx: Transaction, stack: store.FoundStack, me: Caller, context: RequestContext) => {
    const { state, version } = await locked(tx, stack.id, 'build')
    const at = new Date(now())
    await store.clearLogs(tx, stack.id, LOG)
    await notePlace(tx, stack.credential_id, stack.data.region_id)
    await store.update(tx, stack.id, { state: 'building', state_since: at, cause: null })
    await stackRuns.begin(tx, queue, stack.id, { actor: me, at, version })
    await record(tx, me, context, {
      action: 'build started',
      subject: subjectOf('stack', stack),
      detail: `the stack was ${stackStateText[state]}`,
    })
    await notifyPeople(tx, 'stacks', peopleOf(stack))
  }

  return {
    async build(
      me: Caller,
      id: string,
      input: StackInput | undefined,
      context: RequestContext,
    ): Promise<Stack> {
      const before = await mine(me, id, context)
      requireState('build', before.state)
      if (input) {
        await check(me, input, before)
        await context.transaction(async (tx) => {
          const changes = await save(tx, { ...input, id }, {})
          if (changes.length > 0)
            await record(tx, me, context, {
              action: 'edited',
              subject: { kind: 'stack', id, name: input.name },
              changes,
            })
        })
      }
      const stack = await find(me, id)
      refuseUnfinished(facts(stack.provider), stack, await catalog(stack.provider, stack.data.region_id))
      await requireCredential(db.kysely, stack)
      await refuseUnbuildable(stack)
      await context.transaction((tx) => begin(tx, stack, me, context))
      return view(me, id)
    },

    /** Ends the manual changes and continues the build that waited for them. */
    async finalize(me: Caller, id: string, context: RequestContext): Promise<Stack> {
      const stack = await mine(me, id, context)
      requireState('finalize', stack.state)
      await requireCredential(db.kysely, stack)
      const run = (await stackRuns.current(db.kysely, id)) ?? failNotBuilding()
      await context.transaction(async (tx) => {
        await locked(tx, id, 'finalize')
        await store.updateRun(tx, run.id, { finalized: true })
        const at = new Date(now())
        await store.addLine(tx, id, LOG, at, 'Manual changes finished. Capturing the image.')
        await closeOpen(tx, queue, run, at)
        await record(tx, me, context, { action: 'build finalized', subject: subjectOf('stack', stack) })
        await notifyPeople(tx, 'stacks', peopleOf(stack))
      })
      return view(me, id)
    },

    async cancel(me: Caller, id: string, context: RequestContext): Promise<Stack> {
      const stack = await mine(me, id, context)
      requireState('cancel', stack.state)
      await context.transaction(async (tx) => {
        const { state } = await locked(tx, id, 'cancel')
        const run = (await stackRuns.current(tx, id)) ?? failNotBuilding()
        await stackRuns.requestCancel(tx, id)
        if (state === 'customize') await closeOpen(tx, queue, run, new Date(now()))
        await record(tx, me, context, { action: 'build canceled', subject: subjectOf('stack', stack) })
        await notifyPeople(tx, 'stacks', peopleOf(stack))
      })
      return view(me, id)
    },
  }
}
