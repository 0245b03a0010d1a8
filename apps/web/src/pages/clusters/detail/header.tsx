import { mayAccess } from '@flotilla/contract/access'
import type { Cluster } from '@flotilla/contract/clusters-entity'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { paths, useGo } from '../../../paths'
import { useUser } from '../../../session/user'
import { Button } from '../../../ui/button'
import { Menu } from '../../../ui/menu'
import { PageHeader } from '../../../ui/page-header'
import { RelativeTime } from '../../../ui/relative-time'
import { Stale } from '../../../ui/stale'
import { Status } from '../../../ui/status'
import { actionWords, lifecycle, whyNot } from '../cluster-actions'
import type { Lifecycle } from '../cluster-actions'
import { AGE_EVERY_MS, healthOf, isUnderWay } from '../cluster-words'
import { LifecycleDialog } from '../lifecycle-dialog'

/** What one most likely wants to do next in each state; everything else is in the menu. */
function mainActions({ info }: Cluster): readonly Lifecycle[] {
  if (info.state === 'available') return ['stop']
  if (info.state === 'stopped') return ['start']
  if (info.state === 'failed') return ['deploy', 'forceDestroy']
  return isUnderWay(info.state) ? ['forceDestroy'] : ['deploy']
}

export function ClusterHeader({ cluster }: { cluster: Cluster }) {
  const go = useGo()
  const [asked, setAsked] = useState<Lifecycle | null>(null)
  const { word, tone, since } = healthOf(cluster)
  const { freshness } = cluster
  const main = mainActions(cluster)
  const mayEver = mayAccess('user', useUser().role)
  return (
    <>
      <PageHeader
        title={cluster.name}
        description={cluster.description}
        meta={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Status
              tone={tone}
              detail={
                <>
                  since <RelativeTime at={since} />
                </>
              }
            >
              <span className="font-medium">{word}</span>
            </Status>
            <Stale
              since={freshness.polledAt}
              staleAfterMs={freshness.error === null ? AGE_EVERY_MS * 3 : 0}
            />
          </span>
        }
        actions={
          mayEver && (
            <>
              {main.map((action, at) => (
                <Button
                  key={action}
                  icon={actionWords[action].icon}
                  variant={at === 0 && (action === 'deploy' || action === 'start') ? 'primary' : 'secondary'}
                  disabledReason={whyNot(cluster, action)}
                  onClick={() => setAsked(action)}
                >
                  {actionWords[action].label}
                </Button>
              ))}
              <Button
                icon={Pencil}
                disabledReason={whyNot(cluster, 'edit')}
                onClick={() => go(paths.cluster(cluster.id, 'edit'))}
              >
                Edit
              </Button>
              <Menu
                label={`More actions for ${cluster.name}`}
                items={lifecycle
                  .filter((action) => !main.includes(action))
                  .map((action) => ({
                    label: actionWords[action].label,
                    icon: actionWords[action].icon,
                    disabledReason: whyNot(cluster, action),
                    onSelect: () => setAsked(action),
                  }))}
              />
            </>
          )
        }
      />
      {asked && (
        <LifecycleDialog
          cluster={cluster}
          action={asked}
          onClose={() => setAsked(null)}
          onRemoved={() => go(paths.clusters())}
        />
      )}
    </>
  )
}
