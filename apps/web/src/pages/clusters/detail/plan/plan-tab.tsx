import { ONLY_NEW_MACHINES } from '@flotilla/contract/clusters/cloud'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { ClipboardList } from 'lucide-react'
import { Async } from '../../../../ui/feedback/async'
import { Badge } from '../../../../ui/status/badge'
import { Callout } from '../../../../ui/feedback/callout'
import { EmptyState } from '../../../../ui/feedback/empty-state'
import { RelativeTime } from '../../../../ui/text/relative-time'
import { SkeletonRows } from '../../../../ui/feedback/skeleton'
import { PlanButton } from '../../actions/plan-button'
import { ClusterTerms } from './image-terms'
import { PlanTable } from './plan-table'
import { countsOfPlan, lossesOf } from './plan-text'
import { PriceParts } from '../../price/price-parts'
import { QuotaRows, QuotaWarning } from './quota-rows'
import { usePlan } from './use-plan'

const card = 'rounded-card border border-line-1 bg-surface-2 p-4'

/** The plan: the changes that Deploy or Apply changes would make. */
export default function PlanTab({ cluster }: { cluster: CloudCluster }) {
  const query = usePlan(cluster)
  return (
    <Async
      data={query}
      skeleton={<SkeletonRows rows={6} columns={4} />}
      isEmpty={(plan) => plan === null}
      empty={<NoPlan cluster={cluster} />}
    >
      {(plan) => {
        if (!plan) return null
        const losses = lossesOf(plan)
        return (
          <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_17rem]">
            <div className="flex min-w-0 flex-col gap-3">
              <p className="flex flex-wrap items-center gap-2 text-form">
                <strong className="font-semibold">{countsOfPlan(plan)}</strong>
                <span className="text-ink-2">
                  planned <RelativeTime at={plan.madeAt} />
                </span>
                {plan.stale && <Badge tone="amber">Stale</Badge>}
              </p>
              {plan.stale && (
                <Callout tone="amber" title="The cluster was edited after this plan">
                  <p>Deploying makes a new plan first. Plan again to see what it would do now.</p>
                  {cluster.mine && (
                    <p className="mt-2">
                      <PlanButton cluster={cluster}>Plan again</PlanButton>
                    </p>
                  )}
                </Callout>
              )}
              {losses.length > 0 && (
                <Callout tone="red" title="Data would be lost">
                  All data on {losses.join(', ')} would be permanently deleted.
                </Callout>
              )}
              <ClusterTerms cluster={cluster} terms={plan.terms} />
              <QuotaWarning rows={plan.quota} />
              {plan.changes.length > 0 && <PlanTable plan={plan} />}
              {plan.changes.length === 0 && cluster.edited && !plan.stale && (
                <Callout tone="gray">{ONLY_NEW_MACHINES}</Callout>
              )}
            </div>
            <div className="flex flex-col gap-4">
              <aside aria-label="Price" className={card}>
                <h2 className="mb-2 text-label text-ink-3">After deployment</h2>
                <PriceParts price={plan.price} />
              </aside>
              {plan.quota.length > 0 && (
                <aside aria-label="Quotas" className={card}>
                  <h2 className="mb-2 text-label text-ink-3">Cloud account quotas</h2>
                  <QuotaRows rows={plan.quota} />
                </aside>
              )}
            </div>
          </div>
        )
      }}
    </Async>
  )
}

const NoPlan = ({ cluster }: { cluster: CloudCluster }) => (
  <div className="rounded-card border border-line-1 bg-surface-2">
    <EmptyState
      icon={ClipboardList}
      title={cluster.info.state === 'planning' ? 'Planning' : 'No plan'}
      action={
        cluster.info.state !== 'planning' &&
        cluster.mine && <PlanButton cluster={cluster}>Plan cluster</PlanButton>
      }
    >
      {cluster.info.state === 'planning'
        ? 'What would be created, changed or destroyed appears here in a moment.'
        : 'Plan the cluster to see what deploying it would create, change or destroy, and what it costs. A plan can be deployed once.'}
    </EmptyState>
  </div>
)
