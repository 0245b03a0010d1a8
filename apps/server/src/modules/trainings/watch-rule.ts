import type { Database, Queryable } from '../../db/database'
import type { Caller } from '../../http/caller'
import type { WatchRule } from '../desktops/desktops'
import { belongsTo, peopleOf } from '../sharing/sharing'
import * as seats from './seats/store'
import * as store from './store'

/** The people who run a workshop may watch and control the desktops of its participants. */
export function makeWatchRule(db: Database): WatchRule {
  const trainingOf = async (on: Queryable, ownerId: string) => {
    const seat = await seats.seatOfUser(on, ownerId)
    return seat && store.findAny(on, seat.training_id)
  }
  return {
    async mayWatch(me: Pick<Caller, 'id' | 'role'>, { ownerId }) {
      if (!me.role.includes('instructor')) return false
      const training = await trainingOf(db.kysely, ownerId)
      return training !== undefined && belongsTo(training, me.id)
    },
    async notified(on, ownerId) {
      const training = await trainingOf(on, ownerId)
      return training ? peopleOf(training) : []
    },
  }
}
