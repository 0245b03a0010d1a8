import * as z from 'zod/mini'
import type { ErrorCode } from './errors'

/** What a `change` event can be about. The first three are the specification's, the others ours. */
export const Changed = z.enum([
  'clusters',
  'nodes',
  'queuedjobs',
  'users',
  'sessions',
  /** Of the receiver: roles, end time or names. */
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

/** Every event carries `seq`, counted per connection: a gap means one was lost and the client fetches everything again. */
export type SocketEvents = {
  change: { changed: Changed; seq: number }
  trainingSessionIsEnding: { sessionCode: string; trainingId: string; seq: number }
  publicDemoSessionIsEnding: { username: string; seq: number }
  silentLogout: { username: string; seq: number }
}

/** What comes as `data` with the refusal of one connection too many; without it a refusal means that the session is over. */
export const TOO_MANY_SOCKETS = { code: 'too_many_sockets' } as const satisfies { code: ErrorCode }

/** Events sent only to the socket that made a request. They are not numbered. */
export type SocketStreams = {
  output: { follow: string; text: string; from: number; next: number; size: number }
  outputEnd: { follow: string; reason: string | null }
  /** `isScreen`: the whole screen as it is now, in place of what is shown. It is drawn and never answered. */
  terminalOutput: { terminal: string; data: string; isScreen?: boolean }
  terminalEnd: { terminal: string; reason: string }
}
