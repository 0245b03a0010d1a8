import type { LogLine } from '@flotilla/contract/clusters/entity'
import type { PreflightStep, Training, TrainingCost } from '@flotilla/contract/trainings/entity'
import type * as z from 'zod/mini'
import type { Database } from '../../../db/database'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import type { Queue } from '../../../queue/queue'
import { requireNotEnded } from '../participant-checks'
import { beginRun, LOG } from './begin-run'
import * as store from '../store'
import type { Trainings } from '../trainings'
import { stateOf } from '../view'

type Options = {
  db: Database
  queue: Queue
  trainings: Trainings
  preflight(me: Caller, training: store.FoundTraining, context: RequestContext): Promise<PreflightStep[]>
  costOf(training: store.FoundTraining): Promise<TrainingCost>
  now: () => number
}

export type RunActions = ReturnType<typeof makeRunActions>
/** An instructor's actions before and after a workshop. */
export const makeRunActions = ({ db, queue, trainings, preflight, costOf, now }: Options) => ({
  preflight: async (me: Caller, id: string, context: RequestContext): Promise<PreflightStep[]> =>
    preflight(me, await trainings.run(me, id, context), context),

  async prepare(me: Caller, id: string, context: RequestContext): Promise<Training> {
    const training = await trainings.run(me, id, context)
    if (stateOf(training, now()) === 'ended') fail('wrong_state', { message: 'This workshop has ended' })
    await context.transaction(async (tx) => {
      const locked = (await store.lock(tx, id)) ?? fail('not_found')
      requireNotEnded(locked)
      if (locked.preparation === 'preparing')
        fail('wrong_state', { message: 'The seats are being prepared already' })
      await beginRun(tx, queue, training, 'prepare', { actor: me, source: context, at: new Date(now()) })
    })
    return trainings.view(me, id)
  },

  async logs(me: Caller, id: string, after: number): Promise<z.infer<typeof LogLine>[]> {
    await trainings.forInstructor(me, id)
    return store.logs(db.kysely, id, LOG, after)
  },

  cost: async (me: Caller, id: string): Promise<TrainingCost> =>
    costOf(await trainings.forInstructor(me, id)),
})
