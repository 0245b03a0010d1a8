import * as z from 'zod/mini'
import { del, get, post, put } from '../endpoint'
import { Id, Removed, Time } from '../lists'
import { APP_TIME_MAX_MINUTES, appIcons, AppResources } from './apps'

/** How long a ticket is valid. It opens an app once. */
export const APP_TICKET_MS = 30_000
/** Running sessions per user. */
export const APP_SESSIONS_MAX = 10
/** The path on an app's host name that redeems a ticket. */
export const APP_ENTER_PATH = '/.flotilla/enter'

const states = ['queued', 'starting', 'ready', 'ended'] as const

export const AppSession = z.object({
  id: Id,
  app: z.object({ id: Id, name: z.string(), icon: z.enum(appIcons) }),
  cluster: z.object({ id: z.nullable(Id), name: z.string() }),
  owner: z.string(),
  /** Whether it is the caller's own session, as opposed to one shared with them. */
  mine: z.boolean(),
  collaborators: z.array(z.string()),
  state: z.enum(states),
  /** Why it is waiting, or how it ended. */
  reason: z.nullable(z.string()),
  /** Whether it ended for another reason than its owner's action or its time limit. */
  failed: z.boolean(),
  jobId: Id,
  submittedAt: Time,
  startedAt: z.nullable(Time),
  readyAt: z.nullable(Time),
  endedAt: z.nullable(Time),
  /** When its wall time ends; null until it has started. */
  endsAt: z.nullable(Time),
  nodeList: z.nullable(z.string()),
})
export type AppSession = z.infer<typeof AppSession>

export const AppLaunch = z.object({
  app: Id,
  cluster: Id,
  /** Values by field name; omitted fields have their defaults. */
  values: z._default(z.record(z.string(), z.string().check(z.maxLength(1000))), {}),
  resources: z.optional(AppResources),
})

const AppLog = z.object({ text: z.string(), next: z.number(), size: z.number() })

export const appSessions = {
  list: get('/api/apps/sessions/', {
    summary: 'List your app sessions and those shared with you, newest first',
    access: 'loggedIn',
    reply: z.array(AppSession),
  }),
  view: get('/api/apps/sessions/:id', {
    summary: 'Get an app session',
    access: 'loggedIn',
    reply: AppSession,
  }),
  launch: post('/api/apps/sessions/', {
    summary: 'Start an app on a cluster',
    access: 'loggedIn',
    tokens: 'jobs',
    body: AppLaunch,
    reply: AppSession,
    status: 201,
    failure: 'form',
  }),
  open: post('/api/apps/sessions/:id/open', {
    summary: 'Get an address that opens a running session once, within 30 seconds',
    access: 'loggedIn',
    tokens: 'never',
    reply: z.object({ url: z.string(), expiresAt: Time }),
  }),
  extend: post('/api/apps/sessions/:id/extend', {
    summary: 'Give a session more time, where the resource manager can',
    access: 'member',
    tokens: 'jobs',
    body: z.object({
      minutes: z
        .number('Enter a number of minutes')
        .check(
          z.int('Enter whole minutes'),
          z.minimum(1, 'At least 1 minute'),
          z.maximum(APP_TIME_MAX_MINUTES, 'At most a week'),
        ),
    }),
    reply: AppSession,
    failure: 'form',
  }),
  share: put('/api/apps/sessions/:id/collaborators', {
    summary: 'Set who else can open a session, by username',
    access: 'member',
    body: z.object({ collaborators: z.array(z.string()).check(z.maxLength(50, 'At most 50 people')) }),
    reply: AppSession,
    failure: 'form',
  }),
  end: post('/api/apps/sessions/:id/end', {
    summary: 'End a session',
    access: 'loggedIn',
    tokens: 'jobs',
    reply: AppSession,
    adminScope: true,
  }),
  remove: del('/api/apps/sessions/:id', {
    summary: 'Remove an ended session from the list',
    access: 'loggedIn',
    tokens: 'jobs',
    reply: Removed,
    adminScope: true,
  }),
  log: get('/api/apps/sessions/:id/log', {
    summary: 'Read part of what a session wrote',
    access: 'loggedIn',
    query: z.object({ from: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0) }),
    reply: AppLog,
  }),
}
