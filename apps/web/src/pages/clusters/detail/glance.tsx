import type { ClusterState } from '@flotilla/contract/clusters/states'
import { managerNames } from '@flotilla/contract/clusters/inputs'
import type { CloudCluster, Cluster } from '@flotilla/contract/clusters/entity'
import type { Price } from '@flotilla/contract/clouds/providers'
import type { ReactNode } from 'react'
import { paths } from '../../../paths'
import { useIsAdmin } from '../../../session/user'
import { coresText, countText } from '@flotilla/contract/count-text'
import { TextLink } from '../../../ui/button/link'
import { perMonthText, AT_LEAST, isPartly, money, NO_PRICE } from '../../../ui/text/price-text'
import { priceSoFar } from '../price/price-so-far'
import { useResources } from './plan/use-plan'
import { headOf, keptText } from '../cluster-text'
import { NodeBar } from '../node-bar'
import { nodeParts } from '../node-text'
import { providerName } from '../provider-mark'

const number = new Intl.NumberFormat()

/** Jobs, nodes, location and cost at a glance. */
export function Glance({ cluster }: { cluster: Cluster }) {
  const { queue, nodes, data, largestNode } = cluster
  const sharedWith = [...cluster.collaborators, ...cluster.ldapCollaborators.map(({ name }) => name)]
  return (
    <section
      aria-label="At a glance"
      className="grid gap-px overflow-hidden rounded-card border border-line-1 bg-line-1 grid-cols-2 xl:grid-cols-4"
    >
      <Cell label="Jobs">
        <Big>
          {number.format(queue.running)} <Unit>running</Unit>
        </Big>
        <p>
          {number.format(queue.queued)} queued, {number.format(queue.blocked)} blocked
        </p>
      </Cell>
      <Cell label="Nodes">
        <Big>
          {number.format(nodes.available)} <Unit>of {number.format(nodes.total)} available</Unit>
        </Big>
        <NodeBar cluster={cluster} className="my-1 w-full" />
        <p>
          {nodeParts(cluster)
            .filter(({ label }) => label !== 'available')
            .filter(({ label, count }) => count > 0 || label === 'busy')
            .map(({ label, count }) => `${number.format(count)} ${label}`)
            .join(', ')}
        </p>
      </Cell>
      <Cell label="Where">
        <Big>
          <Where cluster={cluster} />
        </Big>
        <p>
          {managerNames[data.manager]}
          {'partition' in data && data.partition && `, partition ${data.partition}`}
          {cluster.provider !== 'local' && hasAddress(cluster) && `, head node ${headOf(cluster)}`}
          {largestNode.cores > 0 && `; largest node ${coresText(largestNode)}`}
        </p>
      </Cell>
      <Cell label="Cost and people">
        <Big>
          <Cost cluster={cluster} />
        </Big>
        {cluster.price && <p>{costMore(cluster.price, cluster.provider)}</p>}
        {!cluster.price && cluster.provider !== 'local' && mayCost(cluster.info.state) && (
          <p>For what exists so far</p>
        )}
        {keptText(cluster) !== null && <KeptDisksHint />}
        <p>
          Owned by {cluster.owner}
          {cluster.forEveryone && ', shared with everyone'}
          {!cluster.forEveryone && sharedWith.length > 0 && (
            <>
              , shared with{' '}
              <TextLink to={paths.cluster(cluster.id, 'activities')} title={sharedWith.join(', ')}>
                {sharedText(cluster)}
              </TextLink>
            </>
          )}
        </p>
      </Cell>
    </section>
  )
}

function sharedText({ collaborators, ldapCollaborators }: Cluster): string {
  const groups = ldapCollaborators.filter(({ kind }) => kind === 'group').length
  const people = collaborators.length + ldapCollaborators.length - groups
  return [
    ...(people > 0 ? [countText(people, 'person', 'people')] : []),
    ...(groups > 0 ? [countText(groups, 'group')] : []),
  ].join(' and ')
}

function Where({ cluster }: { cluster: Cluster }) {
  if (cluster.provider === 'local') return <span title={headOf(cluster)}>{headOf(cluster)}</span>
  const region = cluster.data.network.region_id
  return (
    <>
      {providerName(cluster.provider)} {region && <Unit>{region}</Unit>}
    </>
  )
}

/** Whether the head node's address is known. Participants do not get it from the server. */
const hasAddress = ({ machines }: CloudCluster): boolean =>
  machines.some(({ role, publicIp, privateIp }) => role === 'head' && (publicIp ?? privateIp) !== null)

/** Whether anything created so far may already cost money. */
const mayCost = (state: ClusterState): boolean =>
  state === 'failed' || state === 'deploying' || state === 'updating' || state === 'destroying'

const KeptDisksHint = () =>
  useIsAdmin() ? (
    <p>
      <TextLink to={paths.settings('leftovers')}>See Settings &gt; Leftovers</TextLink>
    </p>
  ) : (
    <p>An admin can remove the kept disks</p>
  )

/** The current cost. A missing price is shown as such, never as zero. */
function Cost({ cluster }: { cluster: Cluster }) {
  const { price, provider, info } = cluster
  // A user's own machines have a cost, even without a price.
  if (provider === 'local' && (price === null || price.perHour === null))
    return (
      <>
        No price <Unit>your machines</Unit>
      </>
    )
  const kept = keptText(cluster)
  if (kept !== null) return kept
  if (price === null && provider !== 'local' && mayCost(info.state)) return <CostSoFar cluster={cluster} />
  if (price === null)
    return (
      <>
        No cost <Unit>not deployed</Unit>
      </>
    )
  if (price.perHour === null) return 'No price'
  return (
    <>
      {isPartly(price) && <Unit>{AT_LEAST}</Unit>} {money(price.perHour)} <Unit>per hour</Unit>
    </>
  )
}
/** The cost of the resources that already exist in a partly created cluster. */
function CostSoFar({ cluster }: { cluster: CloudCluster }) {
  const perHour = priceSoFar(useResources(cluster).data)
  if (perHour === null) return 'Unknown'
  return (
    <>
      <Unit>{AT_LEAST}</Unit> {money(perHour)} <Unit>per hour</Unit>
    </>
  )
}

function costMore({ perMonth, unpriced, note }: Price, provider: Cluster['provider']): string {
  if (provider === 'local' && perMonth === null) return 'An admin can set prices per core and GPU'
  return [
    [
      perMonth !== null && perMonthText(perMonth),
      unpriced.length > 0 && provider === 'local' && `${unpriced.join(', ')} (${NO_PRICE})`,
      // The Machines tab names them.
      unpriced.length > 0 && provider !== 'local' && `${countText(unpriced.length, 'item')} with ${NO_PRICE}`,
    ]
      .filter(Boolean)
      .join(', plus '),
    note,
  ]
    .filter(Boolean)
    .join('; ')
}

function Cell({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-0.5 bg-surface-2 px-4 py-3 text-label text-ink-2 tabular-nums">
      <h2 className="text-label text-ink-3">{label}</h2>
      {children}
    </div>
  )
}

const Big = ({ children }: { children: ReactNode }) => (
  <p className="text-section font-semibold text-ink-1 wrap-anywhere">{children}</p>
)
const Unit = ({ children }: { children: ReactNode }) => (
  <span className="text-body font-normal text-ink-2">{children}</span>
)
