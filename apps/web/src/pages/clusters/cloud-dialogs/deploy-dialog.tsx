import type { Plan } from '@flotilla/contract/clusters/cloud'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import type { QuotaRow } from '@flotilla/contract/clusters/quota'
import { messages } from '@flotilla/contract/messages'
import { Async } from '../../../ui/feedback/async'
import { Callout } from '../../../ui/feedback/callout'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { RelativeTime } from '../../../ui/text/relative-time'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { costOf, valuesOf } from '../cloud-form/values/cloud-values'
import { usePrice } from '../cloud-form/price/use-price'
import { ClusterTerms } from '../detail/plan/image-terms'
import { PlanTable } from '../detail/plan/plan-table'
import { countsOfPlan, lossesOf } from '../detail/plan/plan-text'
import { PriceParts } from '../price/price-parts'
import { QuotaWarning } from '../detail/plan/quota-rows'
import { priceLine } from '../../../ui/text/price-text'
import { useChanges } from './use-changes'
import { useDeploy } from './use-deploy'
import { usePlan, useQuota } from '../detail/plan/use-plan'

interface Props {
  cluster: CloudCluster
  action: 'deploy' | 'applyChanges'
  onClose: () => void
}

const labels = {
  deploy: { title: 'Deploy', confirm: 'Deploy cluster' },
  applyChanges: { title: 'Apply changes to', confirm: 'Apply changes' },
}

/** Confirms a deployment. Shows the planned changes if there is a plan, otherwise the total price. */
export function DeployDialog({ cluster, action, onClose }: Props) {
  const { admin } = useChanges(cluster)
  const deploy = useDeploy({ admin, success: messages.clusterDeployInitiated })
  const plan = usePlan(cluster)
  const shown = plan.data ?? null
  const price = usePrice(costOf(valuesOf(cluster)))
  // The cloud may take seconds to return its quota, so the dialog does not wait for it.
  const quota = useQuota(cluster, admin, plan.isSuccess && !shown)
  const losses = shown ? lossesOf(shown) : []
  const { title, confirm } = labels[action]
  return (
    <ConfirmDialog
      key={shown?.madeAt ?? 0}
      open
      size={shown ? 'l' : 'm'}
      onClose={onClose}
      title={`${title} ${cluster.name}?`}
      confirmLabel={confirm}
      danger={losses.length > 0}
      {...(losses.length > 0 && { typeToConfirm: cluster.name })}
      waitsFor={plan.isPending || (!shown && price.isPending) ? 'Calculating the price' : null}
      // A failure opens the ERROR dialog; this one then closes.
      onConfirm={() => deploy.mutateAsync({ body: { id: cluster.id } }).then(onClose, onClose)}
    >
      <Async data={plan} skeleton={<SkeletonText lines={5} />}>
        {(found) =>
          found ? (
            <Planned cluster={cluster} plan={found} losses={losses} />
          ) : (
            <Unplanned price={price} quota={quota.data ?? []} action={action} />
          )
        }
      </Async>
    </ConfirmDialog>
  )
}

interface PlannedProps {
  cluster: CloudCluster
  plan: Plan
  losses: readonly string[]
}

function Planned({ cluster, plan, losses }: PlannedProps) {
  return (
    <div className="flex flex-col gap-3">
      <p>
        <strong className="font-medium text-ink-1">{countsOfPlan(plan)}</strong>, as planned{' '}
        <RelativeTime at={plan.madeAt} />. {costLine(plan)}
      </p>
      {plan.stale && (
        <Callout tone="amber" title="The cluster was edited after this plan">
          A new plan is made before anything is created, and may do more than is listed here. Plan again to
          see it first.
        </Callout>
      )}
      {losses.length > 0 && (
        <Callout tone="red" title="Data will be lost">
          All data on {losses.join(', ')} will be permanently deleted.
        </Callout>
      )}
      <ClusterTerms cluster={cluster} terms={plan.terms} />
      <QuotaWarning rows={plan.quota} />
      {plan.changes.length > 0 ? (
        <PlanTable plan={plan} inDialog />
      ) : (
        <p>Other edits, such as packages, are applied to the running machines.</p>
      )}
    </div>
  )
}

const costLine = ({ price, changes }: Plan): string => {
  if (price.perHour === null) return 'No price is available.'
  return `${changes.length > 0 ? 'Afterward, it costs' : 'It costs'} ${priceLine(price)}.`
}

interface UnplannedProps {
  price: ReturnType<typeof usePrice>
  quota: QuotaRow[]
  action: Props['action']
}

function Unplanned({ price, quota, action }: UnplannedProps) {
  return (
    <div className="flex flex-col gap-3">
      <p>
        {action === 'deploy'
          ? 'Everything it needs is created in the cloud: network, firewall, head node, nodes and disks.'
          : 'Your edits are applied. Some, such as a different network, replace a machine.'}{' '}
        {action === 'deploy'
          ? 'To see the full list first, plan it.'
          : 'To see whether data would be lost, plan it first.'}
      </p>
      <QuotaWarning rows={quota} />
      <p>With all nodes running, from deployment until it is destroyed, it costs:</p>
      <div className="rounded-card border border-line-1 bg-surface-1 p-4">
        <Async data={price} skeleton={<SkeletonText lines={4} />}>
          {(found) => <PriceParts price={found} />}
        </Async>
      </div>
    </div>
  )
}
