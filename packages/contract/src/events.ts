import * as z from 'zod/mini'
import type { ErrorCode } from './errors'

/** What a `change` event can be about. The first three are from the specification, the others are our own. */
export const Changed = z.enum([
  'clusters',
  'nodes',
  'queuedjobs',
  'users',
  'sessions',
  /** The receiver's own account: roles, end time or names. */
  'account',
  'settings',
  'credentials',
  'stacks',
  'apps',
  'desktops',
  'trainings',
  'courses',
])
export type Changed = z.infer<typeof Changed>

/**
 * Every event carries `seq`, counted per connection: a gap means that an event was lost, and the client refetches
 * everything.
 */
export type SocketEvents = {
  change: { changed: Changed; seq: number }
  trainingSessionIsEnding: { sessionCode: string; trainingId: string; seq: number }
  publicDemoSessionIsEnding: { username: string; seq: number }
  silentLogout: { username: string; seq: number }
}

/**
 * Sent as `data` when a connection is rejected because there are too many; a rejection without it means that the
 * session is over.
 */
export const TOO_MANY_SOCKETS = { code: 'too_many_sockets' } as const satisfies { code: ErrorCode }

/** Events sent only to the socket that made the request. They are not numbered. */
export type SocketStreams = {
  output: { follow: string; text: string; from: number; next: number; size: number }
  outputEnd: { follow: string; reason: string | null }
  /**
   * `isScreen`: `data` is the whole current screen and replaces what is shown. The browser draws it without responding
   * to terminal queries in it.
   */
  terminalOutput: { terminal: string; data: string; isScreen?: boolean }
  terminalEnd: { terminal: string; reason: string }
}
