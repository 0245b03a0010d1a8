import { countText } from '@flotilla/contract/count-text'
import { trainingLogin as loginCalls } from '@flotilla/contract/trainings/login'
import { trainings as calls } from '@flotilla/contract/trainings/trainings'
import { inConstantTime } from '../../timing/constant-time'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Bind } from '../../http/bind'
import { attendanceCsv } from './attendance'
import type { Control } from './control'
import type { OwnSeats } from './participants/own-seat'
import type { Participants } from './participants/participants'
import type { Removal } from './preparation/removal'
import type { RunActions } from './preparation/run-actions'
import type { Trainings } from './trainings'

type Parts = {
  db: Database
  trainings: Trainings
  participants: Participants
  control: Control
  removal: Removal
  ownSeats: OwnSeats
  runs: RunActions
}

const seatNumber = (text: string): number => (/^\d{1,4}$/.test(text) ? Number(text) : fail('not_found'))

export function bindTrainings(
  bind: Bind,
  { db, trainings, participants, control, removal, ownSeats, runs }: Parts,
): void {
  bind(calls.list, async ({ query }, me, context) => {
    const { items, next } = await trainings.list(me, query)
    context.nextCursor(next)
    return items
  })
  bind(calls.own, (_input, me) => ownSeats.view(me))
  bind(calls.raiseOwnHand, ({ body }, me, context) => ownSeats.raiseHand(me, body.raised, context))
  bind(calls.view, ({ id }, me) => trainings.view(me, id))
  bind(calls.registrations, async ({ id }, me) =>
    trainings.registrationsOf(await trainings.forInstructor(me, id)),
  )
  bind(calls.create, ({ body }, me, context) => trainings.create(me, body, context))
  bind(calls.update, ({ id, body }, me, context) => {
    if (body.id !== undefined && body.id !== id)
      fail('bad_input', { fields: { id: 'Differs from the id in the path' } })
    return trainings.update(me, id, body, context)
  })
  bind(calls.remove, async ({ id }, me, context) => {
    await removal.remove(me, id, context)
    return { id }
  })
  bind(calls.collaborators, ({ id, body }, me, context) =>
    trainings.setCollaborators(me, id, body.collaborators, context),
  )
  bind(calls.renewSessionCode, ({ id }, me, context) => trainings.renewSessionCode(me, id, context))

  bind(calls.terminateVnc, async ({ id, body }, me, context) => {
    const ended = await control.terminateDesktops(me, id, body, context)
    return { ended, message: `${countText(ended, 'desktop')} ended` }
  })
  bind(calls.removeUsers, async ({ id, body }, me, context) => {
    const removed = await removal.removeUsers(me, id, body.userEmails, context)
    return { removed, message: `${countText(removed, 'participant')} removed completely` }
  })

  bind(calls.seats, ({ id }, me) => control.seats(me, id))
  bind(calls.resetSeat, async ({ id, number }, me, context) => {
    await removal.resetSeat(me, id, seatNumber(number), context)
    return { message: `Seat ${number} reset` }
  })
  bind(calls.lowerHand, async ({ id, number, body }, me, context) => {
    await control.setHand(me, id, seatNumber(number), body.raised, context)
    return { message: body.raised ? 'Hand raised' : 'Hand lowered' }
  })
  bind(calls.messages, ({ id }, me) => control.messages(me, id))
  bind(calls.sendMessage, ({ id, body }, me, context) => control.sendMessage(me, id, body, context))
  bind(calls.extend, ({ id, body }, me, context) => control.extend(me, id, body, context))
  bind(calls.end, ({ id }, me, context) => control.end(me, id, context))

  bind(calls.preflight, ({ id }, me, context) => runs.preflight(me, id, context))
  bind(calls.prepare, ({ id }, me, context) => runs.prepare(me, id, context))
  bind(calls.logs, ({ id, query }, me) => runs.logs(me, id, query.after))
  bind(calls.cost, ({ id }, me) => runs.cost(me, id))
  bind(calls.attendance, async ({ id }, me) => {
    const { name } = await trainings.forInstructor(me, id)
    return { name: `${name} attendance.csv`, content: await attendanceCsv(db, id) }
  })
  bind(calls.receipt, async ({ id }, me) => {
    const { receipt, preparation } = await trainings.forInstructor(me, id)
    // A teardown writes its receipt step by step.
    return preparation === 'tearing-down' ? null : receipt
  })

  bind(loginCalls.register, ({ body }, _me, context) => participants.register(body, context))
  bind(loginCalls.generateCode, ({ body }, _me, context) => participants.generateCode(body, context))
  bind(loginCalls.resendCode, async ({ body }, _me, context) => {
    await inConstantTime(participants.resendCode(body, context))
    return { message: 'A new code is on its way' }
  })
  bind(loginCalls.verifyCode, ({ body }, _me, context) => participants.verifyCode(body, context))
  bind(loginCalls.login, ({ body }, _me, context) => participants.login(body, context))
}
