import * as z from 'zod/mini'
import { LogLine } from '../clusters/entity'
import { text } from '../clusters/inputs'
import { Email } from '../email'
import { del, get, post, put } from '../endpoint'
import { Done, Id, Page, Removed } from '../lists'
import { socketRequest } from '../socket-request'
import { Usernames } from '../stacks/entity'
import {
  MESSAGE_MAX,
  OwnSeat,
  PreflightStep,
  Receipt,
  Registration,
  Seat,
  SEATS_MAX,
  Training,
  TrainingCost,
  TrainingInput,
  TrainingMessage,
  TrainingUpdate,
} from './entity'

const UserEmails = z
  .array(Email)
  .check(z.minLength(1, 'Choose at least one participant'), z.maxLength(SEATS_MAX))
const OfUsers = z.object({
  userEmails: UserEmails,
  /** Only on this cluster; if omitted, on every cluster they use. */
  clusterId: z.optional(z.nullable(Id)),
})
const MINUTES = 'Enter a number of minutes from 1 to 1440'
const Extension = z.object({
  minutes: z.number(MINUTES).check(z.int(MINUTES), z.minimum(1, MINUTES), z.maximum(1440, MINUTES)),
  /** If omitted, the extension is for everyone. */
  userEmails: z.optional(UserEmails),
})
const Hand = z.object({ raised: z.boolean() })

export const trainings = {
  list: get('/api/trainings/', {
    summary: 'List the workshops you can see, newest first; participants see their own',
    access: 'loggedIn',
    query: Page,
    reply: z.array(Training),
  }),
  own: get('/api/trainings/own', {
    summary: 'Get your seat as a participant, with messages and when your session ends',
    access: 'loggedIn',
    tokens: 'never',
    reply: OwnSeat,
  }),
  raiseOwnHand: post('/api/trainings/own/hand', {
    summary: 'Raise or lower your hand as a participant',
    access: 'loggedIn',
    tokens: 'never',
    body: Hand,
    reply: OwnSeat,
  }),
  view: get('/api/trainings/:id', { summary: 'Get a workshop', access: 'loggedIn', reply: Training }),
  registrations: get('/api/trainings/:id/registrations', {
    summary: 'List who registered for a workshop, newest first',
    access: 'instructor',
    reply: z.array(Registration),
    adminScope: true,
  }),
  create: post('/api/trainings/', {
    summary: 'Create a workshop',
    access: 'instructor',
    body: TrainingInput,
    reply: Training,
    status: 201,
    failure: 'form',
    adminScope: true,
  }),
  update: put('/api/trainings/:id', {
    summary: 'Update a workshop',
    access: 'instructor',
    body: TrainingUpdate,
    reply: Training,
    failure: 'caller',
    adminScope: true,
  }),
  remove: del('/api/trainings/:id', {
    summary: 'Delete a workshop, with its seats, registrations and messages',
    access: 'instructor',
    reply: Removed,
    adminScope: true,
  }),
  collaborators: put('/api/trainings/:id/collaborators', {
    summary: 'Set which other instructors can help run a workshop',
    access: 'instructor',
    body: z.object({ collaborators: Usernames }),
    reply: Training,
    failure: 'form',
    adminScope: true,
  }),
  renewSessionCode: post('/api/trainings/:id/session-code', {
    summary: 'Replace the session code. People who are logged in stay; the old code stops working',
    access: 'instructor',
    reply: Training,
    adminScope: true,
  }),

  terminateVnc: post('/api/trainings/:id/users/terminate-vnc-session', {
    summary: 'End the remote desktops of participants',
    access: 'instructor',
    body: OfUsers,
    reply: z.object({ ended: z.number(), message: z.string() }),
    failure: 'caller',
    adminScope: true,
  }),
  removeUsers: post('/api/trainings/:id/users/remove-completely', {
    summary: 'Remove participants: their accounts, sessions and registrations. Their seats become free',
    access: 'instructor',
    body: OfUsers,
    reply: z.object({ removed: z.number(), message: z.string() }),
    failure: 'caller',
    adminScope: true,
  }),

  seats: get('/api/trainings/:id/seats', {
    summary: 'List the seats of a workshop as they are now',
    access: 'instructor',
    reply: z.array(Seat),
  }),
  resetSeat: post('/api/trainings/:id/seats/:number/reset', {
    summary: 'Give the participant of a seat a fresh account. They log in again and get the same seat',
    access: 'instructor',
    reply: Done,
    adminScope: true,
  }),
  lowerHand: post('/api/trainings/:id/seats/:number/hand', {
    summary: 'Lower or raise a participant’s hand',
    access: 'instructor',
    body: Hand,
    reply: Done,
    adminScope: true,
  }),
  messages: get('/api/trainings/:id/messages', {
    summary: 'List the messages sent to participants, newest first',
    access: 'instructor',
    reply: z.array(TrainingMessage),
  }),
  sendMessage: post('/api/trainings/:id/messages', {
    summary: 'Send a message to participants, or to everyone',
    access: 'instructor',
    body: z.object({
      text: text(MESSAGE_MAX).check(z.minLength(1, 'Enter a message')),
      userEmails: z.optional(UserEmails),
    }),
    reply: z.array(TrainingMessage),
    status: 201,
    failure: 'form',
    adminScope: true,
  }),
  extend: post('/api/trainings/:id/extend', {
    summary: 'Extend the session of participants, or the whole workshop',
    access: 'instructor',
    body: Extension,
    reply: Training,
    failure: 'form',
    adminScope: true,
  }),
  end: post('/api/trainings/:id/end', {
    summary: 'End a workshop now: all of its sessions, desktops and apps end, and its seats are torn down',
    access: 'instructor',
    reply: Training,
    adminScope: true,
  }),

  preflight: post('/api/trainings/:id/preflight', {
    summary: 'Check in advance that everything a workshop needs works. Sends you a test email',
    access: 'instructor',
    reply: z.array(PreflightStep),
    adminScope: true,
  }),
  prepare: post('/api/trainings/:id/prepare', {
    summary: 'Prepare the seats: accounts, and clusters of their own where it has them',
    access: 'instructor',
    reply: Training,
    adminScope: true,
  }),
  logs: get('/api/trainings/:id/logs', {
    summary: 'Get the log of preparing and tearing down. With `after`, only later lines',
    access: 'instructor',
    query: z.object({ after: z._default(z.coerce.number(), 0) }),
    reply: z.array(LogLine),
  }),
  cost: get('/api/trainings/:id/cost', {
    summary: 'Get what a workshop has cost so far, in total and per seat',
    access: 'instructor',
    reply: TrainingCost,
  }),
  attendance: get('/api/trainings/:id/attendance', {
    summary: 'Download attendance with join times and minutes online, as CSV',
    access: 'instructor',
    reply: { file: 'text/csv' },
  }),
  receipt: get('/api/trainings/:id/receipt', {
    summary: 'Get what was torn down after the end, or null until then',
    access: 'instructor',
    reply: z.nullable(Receipt),
  }),
}

/** How often a participant's browser reports its presence, and after how long they count as absent. */
export const ATTENDANCE_MS = 20_000
export const ATTENDANCE_LATE_MS = 50_000

export const attendTraining = socketRequest('attendTraining', {
  summary: 'Report that you are at your seat; repeated every 20 seconds by participants',
  access: 'loggedIn',
  input: z.object({}),
  reply: z.object({}),
})
