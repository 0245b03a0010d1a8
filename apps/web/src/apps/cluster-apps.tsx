import { apps, type App } from '@flotilla/contract/apps/apps'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { useState } from 'react'
import { useApiQuery } from '../api/query'
import { paths } from '../paths'
import { submitBlockedReason } from '../submit/offer'
import { Async } from '../ui/feedback/async'
import { AppCard } from './app-card'
import { LaunchDialog } from './launch-dialog'
import { SessionList } from './session-list'

/** The apps that can be started on one cluster, and the sessions there. */
export default function ClusterApps({ cluster }: { cluster: Cluster }) {
  const list = useApiQuery(apps.list, {})
  const [starting, setStarting] = useState<App | null>(null)
  return (
    <div className="flex flex-col gap-6">
      <SessionList cluster={cluster.id} />
      <Async data={list}>
        {(all) => (
          <ul aria-label="Apps" className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
            {all.map((app) =>
              app.opens === 'desktop' ? (
                <AppCard key={app.id} app={app} to={paths.desktop(cluster.id)} />
              ) : (
                <AppCard
                  key={app.id}
                  app={app}
                  blockedReason={submitBlockedReason({ nodes: 1, ...app.resources }, cluster)}
                  onStart={() => setStarting(app)}
                />
              ),
            )}
          </ul>
        )}
      </Async>
      {starting && <LaunchDialog app={starting} cluster={cluster.id} onClose={() => setStarting(null)} />}
    </div>
  )
}
