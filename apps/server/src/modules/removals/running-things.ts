import type { RunningItem } from '@flotilla/contract/people/users'
import type { Caller, RequestContext } from '../../http/caller'
import type { SeatApps } from '../apps/open'
import type { DesktopsApi } from '../desktops/open'
import type { JobsApi } from '../jobs/open'

/** A kind of thing that users run. Every kind must be in this list, so that none outlives its user by mistake. */
export type Runnable = {
  kind: RunningItem['kind']
  list(userId: string): Promise<Omit<RunningItem, 'kind'>[]>
  /** Fails if something could not be ended and must not be left running. */
  end(me: Caller, userId: string, context: RequestContext): Promise<unknown>
}

type Options = {
  desktops: DesktopsApi
  seats: SeatApps
  submissions: JobsApi['submissions']
}

/** The things that users run, which end or are handed over when a user is removed. */
export const runningThings = ({ desktops, seats, submissions }: Options): Runnable[] => [
  {
    kind: 'desktop',
    list: async (id) =>
      (await desktops.listOf({ userIds: [id] })).map((one) => ({
        id: one.id,
        name: 'Desktop',
        cluster: one.clusterName,
      })),
    end: (_me, id) => desktops.endDesktops({ userIds: [id] }),
  },
  {
    kind: 'app',
    list: seats.listOf,
    end: (_me, id) => seats.end({ userIds: [id] }),
  },
  {
    kind: 'job',
    list: async (id) =>
      (await submissions.running(id)).map((row) => ({
        id: row.id,
        name: row.job_name,
        cluster: row.cluster_name,
      })),
    end: submissions.cancelAll,
  },
]
