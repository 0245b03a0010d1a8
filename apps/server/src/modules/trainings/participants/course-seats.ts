import type { Queryable } from '../../../db/database'
import type { Caller } from '../../../http/caller'
import { peopleOf } from '../../sharing/sharing'
import * as seats from '../seats/store'
import * as store from '../store'
import { runs } from '../view'

/** The workshop in which a user has a seat, with its course and the people who run it. */
export async function courseSeatOf(db: Queryable, userId: string) {
  const seat = await seats.seatOfUser(db, userId)
  const training = seat && (await store.findAny(db, seat.training_id))
  if (!training || seat.registration_id === null) return null
  return {
    trainingId: training.id,
    registrationId: seat.registration_id,
    courseId: training.course_id,
    instructorIds: peopleOf(training),
  }
}

/** The workshops that use a course and have not ended, and their participants. */
export async function courseUses(db: Queryable, courseId: string) {
  const using = await store.withCourse(db, courseId)
  const accounts = await Promise.all(using.map(({ id }) => seats.accounts(db, id)))
  return { workshops: using.map(({ name }) => name), participantIds: accounts.flat().map(({ id }) => id) }
}

export async function runsWorkshop(db: Queryable, me: Caller, id: string): Promise<boolean> {
  const training = await store.findAny(db, id)
  return training !== undefined && runs(me, training)
}
