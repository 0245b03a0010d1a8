import type { openApps } from './modules/apps/open'
import type { openDesktops } from './modules/desktops/open'
import type { openJobs } from './modules/jobs/open'
import type { Runnable } from './modules/users/ending/removal'

type Options = {
  desktops: ReturnType<typeof openDesktops>['api']
  seats: ReturnType<typeof openApps>['api']['seats']
  submissions: ReturnType<typeof openJobs>['api']['submissions']
}

/** What people run, which ends or is handed over when they are removed. */
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
