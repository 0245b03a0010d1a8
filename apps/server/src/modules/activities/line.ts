import type { RequestContext } from '../../http/caller'
import type * as store from './store'

export type Deed = { action: string; subject: string; detail?: string; clusterId?: string }
export type Actor = { id: string; username: string } | null

export type Context = Pick<RequestContext, 'requestId'> | null

/** The line alone, for a statement that writes it together with what it tells about. */
export const lineOf = (
  actor: Actor,
  context: Context,
  { action, subject, detail = '', clusterId }: Deed,
): store.NewActivity => ({
  time: new Date(),
  actor_id: actor?.id ?? null,
  actor: actor?.username ?? null,
  action,
  subject,
  detail,
  request_id: context?.requestId ?? null,
  cluster_id: clusterId ?? null,
})
