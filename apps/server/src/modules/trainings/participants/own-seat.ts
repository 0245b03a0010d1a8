import type { OwnSeat } from '@flotilla/contract/trainings/entity'
import type { Database } from '../../../db/database'
import { fail } from '../../../fail'
import type { Caller, RequestContext } from '../../../http/caller'
import { notifyInstructors, notifyParticipants } from '../notify'
import * as seats from '../seats/store'
import * as store from '../store'
import { asMessage } from '../view'

const MESSAGES_MAX = 100

export type OwnSeats = ReturnType<typeof makeOwnSeats>
/** What participants see and do at their own seats. */
export function makeOwnSeats(db: Database, now: () => number) {
  const find = async (me: Caller) => {
    const seat = await seats.seatOfUser(db.kysely, me.id)
    const training = seat && (await store.findAny(db.kysely, seat.training_id))
    if (!seat || !training) return fail('not_found', { message: 'You have no seat in a workshop' })
    return { seat, training }
  }
  const view = async (me: Caller): Promise<OwnSeat> => {
    const { seat, training } = await find(me)
    const messages = await store.messages(db.kysely, training.id, MESSAGES_MAX, seat.email)
    return {
      training: {
        id: training.id,
        name: training.name,
        description: training.description,
        instructor: training.instructor,
        startTime: training.start_time.getTime(),
        courseId: training.course_id,
        appIds: training.app_ids,
      },
      number: seat.number,
      fullName: seat.full_name,
      endTime: (seat.end_time ?? training.end_time).getTime(),
      clusterId: seat.cluster_id,
      clusterState: seat.cluster_state,
      handRaisedAt: seat.hand_raised_at?.getTime() ?? null,
      messages: messages.toReversed().map(asMessage),
    }
  }
  return {
    view,
    async raiseHand(me: Caller, raised: boolean, context: RequestContext): Promise<OwnSeat> {
      const { seat, training } = await find(me)
      await context.transaction(async (tx) => {
        // A hand that is already raised keeps its place in the queue.
        if (raised && seat.hand_raised_at) return
        await seats.updateSeat(tx, seat, { hand_raised_at: raised ? new Date(now()) : null })
        await notifyInstructors(tx, training)
        await notifyParticipants(tx, [me.id])
      })
      return view(me)
    },
  }
}
