import { mayAccess } from '@flotilla/contract/access'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { desktops } from '@flotilla/contract/desktops/desktops'
import { Monitor, Pencil } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { paths, useGo } from '../../../paths'
import { useUser } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { Menu } from '../../../ui/overlay/menu'
import { PageHeader } from '../../../ui/layout/page-header'
import { RelativeTime } from '../../../ui/text/relative-time'
import { Stale } from '../../../ui/feedback/stale'
import { Status } from '../../../ui/status/status'
import { ActionDialog } from '../actions/action-dialog'
import type { OpenDialog } from '../actions/action-dialog'
import { ownerEntries } from '../actions/action-entries'
import { actions, actionBlockedReason } from '../actions/cluster-actions'
import type { Action } from '../actions/cluster-actions'
import { AGE_EVERY_MS, healthOf, isInProgress, isPolled, staleAfter } from '../cluster-text'
import { SimulatedMark } from '../provider-mark'
import { connectBlockedReason, userActions } from '../actions/user-actions'

const QuickJob = lazy(() => import('../../../shell/quick-job/quick-job'))

/** The most likely next actions in each state; everything else is in the menu. */
function mainActions(cluster: Cluster): readonly Action[] {
  const { state } = cluster.info
  const inCloud = cluster.provider !== 'local'
  if (state === 'available')
    return inCloud && (cluster.edited || cluster.drift > 0) ? ['applyChanges', 'plan'] : ['stop']
  if (state === 'stopped') return ['start']
  if (state === 'failed') return inCloud ? ['deploy', 'destroy'] : ['deploy', 'forceDestroy']
  if (isInProgress(state)) return inCloud ? ['cancel'] : ['forceDestroy']
  return inCloud ? ['deploy', 'plan'] : ['deploy']
}
const primary: readonly Action[] = ['deploy', 'start', 'applyChanges']

export function ClusterHeader({ cluster }: { cluster: Cluster }) {
  const go = useGo()
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
  const { label, tone, since } = healthOf(cluster)
  const { freshness } = cluster
  // Users who are not the owner get the actions available to them instead.
  const main = cluster.mine ? mainActions(cluster) : []
  const [submitting, setSubmitting] = useState(false)
  const forUsers = userActions(cluster, go, () => setSubmitting(true))
  const { role } = useUser()
  const hasUserRole = mayAccess('user', role)
  return (
    <>
      <PageHeader
        title={cluster.name}
        description={cluster.description}
        meta={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Status tone={tone} detail={<RelativeTime at={since} />}>
              <span className="font-medium">{label}</span>
            </Status>
            <SimulatedMark cluster={cluster} />
            {isPolled(cluster) && (
              <Stale since={freshness.polledAt} staleAfterMs={staleAfter(cluster, AGE_EVERY_MS * 3)} />
            )}
          </span>
        }
        actions={
          <>
            {mayAccess(desktops.create.access, role) && (
              <Button
                icon={Monitor}
                disabledReason={connectBlockedReason(cluster)}
                onClick={() => go(paths.desktop(cluster.id))}
              >
                Desktop
              </Button>
            )}
            {hasUserRole && (
              <>
                {main.map((action, at) => (
                  <Button
                    key={action}
                    icon={actions[action].icon}
                    variant={at === 0 && primary.includes(action) ? 'primary' : 'secondary'}
                    disabledReason={actionBlockedReason(cluster, action)}
                    onClick={() => setOpenDialog(action)}
                  >
                    {actions[action].label}
                  </Button>
                ))}
                {cluster.mine ? (
                  <Button
                    icon={Pencil}
                    disabledReason={actionBlockedReason(cluster, 'edit')}
                    onClick={() => go(paths.cluster(cluster.id, 'edit'))}
                  >
                    Edit
                  </Button>
                ) : (
                  forUsers.map(({ label: text, onSelect, ...button }, at) => (
                    <Button
                      key={text}
                      {...button}
                      variant={at === 0 ? 'primary' : 'secondary'}
                      onClick={onSelect}
                    >
                      {text}
                    </Button>
                  ))
                )}
                <Menu
                  label={`More actions for ${cluster.name}`}
                  items={[
                    ...(cluster.mine ? [...forUsers, 'separator' as const] : []),
                    ...ownerEntries(cluster, { go, open: setOpenDialog, without: ['edit', ...main] }),
                  ]}
                />
              </>
            )}
          </>
        }
      />
      {submitting && (
        <Suspense>
          <QuickJob clusterId={cluster.id} onClose={() => setSubmitting(false)} />
        </Suspense>
      )}
      {openDialog && (
        <ActionDialog
          cluster={cluster}
          action={openDialog}
          onClose={() => setOpenDialog(null)}
          onRemoved={() => go(paths.clusters())}
        />
      )}
    </>
  )
}
