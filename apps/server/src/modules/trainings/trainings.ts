import type { Page } from '@flotilla/contract/lists'
import {
  SEATS_MAX,
  type Registration,
  type Training,
  type TrainingInput,
} from '@flotilla/contract/trainings/entity'
import { changesOf } from '../../changes'
import type { Database, Transaction } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { newId } from '../../ids'
import type { Queue } from '../../queue/queue'
import { record, subjectOf } from '../activities/activities'
import {
  belongsTo,
  changeShares,
  finders,
  makeShare,
  notifyPeople,
  requireOwner,
  visiblePage,
} from '../sharing/sharing'
import { scheduleClock } from './clock'
import { makeInputCheck } from './input-check'
import { notifyInstructors, notifyParticipants } from './notify'
import * as registrations from './registrations/store'
import * as seats from './seats/store'
import { makeSessionCode, uniqueCode, type Hashes } from './session-code'
import * as store from './store'
import { asRegistration, asTraining, runs, stateOf } from './view'

type Options = Parameters<typeof makeInputCheck>[0] & { db: Database; queue: Queue; hashes: Hashes }

export type Trainings = ReturnType<typeof makeTrainings>
export function makeTrainings(options: Options) {
  const { db, queue, hashes, now } = options
  const check = makeInputCheck(options)

  const { find, mine } = finders('workshop', (id, viewer) => store.find(db.kysely, id, viewer))

  /** Finds a workshop for an action during it, which its collaborators may take too. */
  const run = async (me: Caller, id: string, context: RequestContext): Promise<store.FoundTraining> => {
    const training = await find(me, id)
    if (belongsTo(training, me.id)) return training
    return requireOwner('workshop', training, me, context)
  }
  /** The holder of a seat sees the workshop, but not what is only for the people who run it. */
  const forInstructor = async (me: Caller, id: string): Promise<store.FoundTraining> => {
    const training = await find(me, id)
    return runs(me, training) ? training : fail('forbidden')
  }

  const registrationsOf = async (training: store.FoundTraining): Promise<Registration[]> =>
    (await registrations.list(db.kysely, training.id)).map((row) =>
      asRegistration(row, training.session_code),
    )

  const view = async (me: Caller, id: string): Promise<Training> => {
    const training = await find(me, id)
    return {
      ...asTraining(training, me, now()),
      registrations: runs(me, training) ? await registrationsOf(training) : [],
    }
  }

  const columns = (input: TrainingInput, times: { startTime: Date; endTime: Date }) => ({
    name: input.name,
    description: input.description,
    cluster_id: input.data.clusterId,
    seat_mode: input.data.seatMode,
    course_id: input.data.courseId,
    app_ids: input.data.appIds,
    allowed_domains: input.data.allowedDomains,
    start_time: times.startTime,
    end_time: times.endTime,
    two_step: input.data.twoStep,
    updated_at: new Date(now()),
  })

  const codeColumns = (given: string | undefined) => {
    const code = given?.trim() ? given.trim().toUpperCase() : makeSessionCode()
    return { session_code: code, code_hash: hashes.sessionCode(code) }
  }
  /** Adds or removes free seats; taken seats stay. */
  const setSeats = async (tx: Transaction, before: store.FoundTraining, wanted: number): Promise<void> => {
    if (wanted > before.seats) await seats.addSeats(tx, before.id, before.seats + 1, wanted)
    if (wanted >= before.seats) return
    const removed = await seats.removeFreeSeats(tx, before.id, wanted)
    if (before.seats - removed > wanted)
      fail('bad_input', {
        message: 'Some of the seats above that number are taken or prepared',
        fields: { 'data.seats': `Seats above ${wanted} are taken or prepared` },
      })
  }

  return {
    find,
    mine,
    run,
    forInstructor,
    view,
    registrationsOf,

    async list(me: Caller, page: Page): Promise<{ items: Training[]; next: string | null }> {
      const { items, next } = await visiblePage(db.kysely, me, page, store.list)
      return { items: items.map((row) => asTraining(row, me, now())), next }
    },

    async create(me: Caller, input: TrainingInput, context: RequestContext): Promise<Training> {
      const times = await check(me, input)
      const id = newId()
      await uniqueCode(
        context.transaction(async (tx) => {
          await store.insert(tx, {
            id,
            owner_id: me.id,
            created_at: new Date(now()),
            ...columns(input, times),
            ...codeColumns(input.data.sessionCode),
          })
          await seats.addSeats(tx, id, 1, Math.min(input.data.seats, SEATS_MAX))
          if (input.data.seatMode === 'shared') await seats.setSharedCluster(tx, id, input.data.clusterId)
          const { people } = await changeShares(tx, 'trainings', id, input.collaborators)
          await scheduleClock(tx, queue, id, times.endTime)
          await record(tx, me, context, {
            action: 'created',
            subject: { kind: 'workshop', id, name: input.name },
          })
          await notifyPeople(tx, 'trainings', people)
        }),
      )
      return view(me, id)
    },

    async update(me: Caller, id: string, input: TrainingInput, context: RequestContext): Promise<Training> {
      const found = await mine(me, id, context)
      if (stateOf(found, now()) === 'ended')
        fail('wrong_state', { message: 'This workshop has ended. Create a new one.' })
      const times = await check(me, input, found)
      const { clusterId, seatMode, sessionCode } = input.data
      const changed = columns(input, times)
      // An empty code keeps the current one.
      const code = sessionCode?.trim() ? codeColumns(sessionCode) : {}
      await uniqueCode(
        context.transaction(async (tx) => {
          await store.lock(tx, id)
          // Read again under the lock, to include concurrent edits and seats taken in the meantime.
          const before = (await store.findAny(tx, id)) ?? fail('not_found')
          if (before.ended_at) fail('wrong_state', { message: 'This workshop has ended. Create a new one.' })
          const moves = clusterId !== before.cluster_id || seatMode !== before.seat_mode
          const isPrepared =
            before.preparation !== 'none' || (before.seat_mode === 'own' && before.seats_taken > 0)
          if (moves && isPrepared)
            fail('wrong_state', {
              message: 'The seats are prepared on another cluster. End this workshop and create a new one.',
              fields: { 'data.clusterId': 'Cannot change once the seats are prepared' },
            })
          await store.update(tx, id, { ...changed, ...code })
          await setSeats(tx, before, input.data.seats)
          await seats.setSharedCluster(tx, id, seatMode === 'shared' ? clusterId : null)
          const accounts = await seats.accounts(tx, id)
          // Participants whose session was extended beyond the new end keep their own end.
          const moved = accounts.filter(
            ({ end_time }) =>
              end_time?.getTime() === before.end_time.getTime() || (end_time && end_time < times.endTime),
          )
          if (moved.length > 0)
            await seats.setUserEnds(
              tx,
              moved.map((one) => one.id),
              times.endTime,
            )
          const { people, changes } = await changeShares(tx, 'trainings', id, input.collaborators)
          await scheduleClock(tx, queue, id, times.endTime)
          await record(tx, me, context, {
            action: 'edited',
            subject: { kind: 'workshop', id, name: input.name },
            changes: [
              ...changesOf(before, { ...changed, updated_at: undefined, seats: input.data.seats, ...code }, [
                'code_hash',
                'session_code',
              ]),
              ...changes,
            ],
          })
          await notifyPeople(tx, 'trainings', people)
          await notifyParticipants(
            tx,
            accounts.map((one) => one.id),
          )
        }),
      )
      return view(me, id)
    },

    setCollaborators: makeShare('trainings', { mine, view }),

    async renewSessionCode(me: Caller, id: string, context: RequestContext): Promise<Training> {
      const training = await run(me, id, context)
      await context.transaction(async (tx) => {
        await store.update(tx, id, codeColumns(undefined))
        await record(tx, me, context, {
          action: 'session code renewed',
          subject: subjectOf('workshop', training),
        })
        await notifyInstructors(tx, training)
      })
      return view(me, id)
    },
  }
}
