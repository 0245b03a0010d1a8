import type { CloudResource, Machine } from '@flotilla/contract/clusters/cloud'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { CloudOff, Server } from 'lucide-react'
import type { Column } from '../../../../table/column'
import { numberColumn, textColumn } from '../../../../table/columns'
import { DataTable } from '../../../../table/data-table'
import { Async } from '../../../../ui/feedback/async'
import { Badge } from '../../../../ui/status/badge'
import { CopyText } from '../../../../ui/text/copy-text'
import { EmptyState } from '../../../../ui/feedback/empty-state'
import { SkeletonRows } from '../../../../ui/feedback/skeleton'
import { isInProgress, keptText } from '../../cluster-text'
import { PriceParts } from '../../price/price-parts'
import { priceSoFar } from '../../price/price-so-far'
import { money } from '../../../../ui/text/price-text'
import { kindNames } from '../../../../ui/status/resource-kinds'
import { useResources } from '../plan/use-plan'

const address = (id: string, header: string, of: (machine: Machine) => string | null): Column<Machine> => ({
  id,
  header,
  type: 'text',
  // Wide enough for the longest IPv4 address.
  width: 168,
  priority: 2,
  value: of,
  cell: (machine) => {
    const ip = of(machine)
    return ip === null ? (
      <span className="text-ink-3">–</span>
    ) : (
      <CopyText text={ip} label={`${header.toLowerCase()} of ${machine.name}`} />
    )
  },
})

const machineColumns: readonly Column<Machine>[] = [
  textColumn({
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    // On a phone, size and address have no columns of their own.
    cell: ({ name, instance_id, publicIp, privateIp, vanishedAt }) => (
      <>
        <span className="flex items-center gap-x-2 max-md:leading-4">
          <span className="truncate">{name}</span>
          {vanishedAt !== undefined && <Badge tone="red">Vanished</Badge>}
        </span>
        <span className="block truncate font-mono text-label leading-4 text-ink-3 md:hidden">
          {[instance_id, publicIp ?? privateIp].filter(Boolean).join(' ')}
        </span>
      </>
    ),
    width: 108,
    grow: true,
    priority: 1,
  }),
  textColumn({
    id: 'role',
    header: 'Role',
    value: ({ role, group }) => (role === 'head' ? 'Head node' : `Node in group ${(group ?? 0) + 1}`),
    width: 128,
    priority: 2,
  }),
  textColumn({
    id: 'size',
    header: 'Size',
    value: ({ instance_id }) => instance_id || null,
    mono: true,
    // Wide enough for Standard_HB120rs_v3.
    width: 168,
    priority: 2,
  }),
  numberColumn({ id: 'cores', header: 'Threads', value: ({ cores }) => cores, width: 84, priority: 2 }),
  numberColumn({ id: 'gpus', header: 'GPUs', value: ({ gpus }) => gpus || null, width: 84, priority: 3 }),
  address('privateIp', 'Private address', ({ privateIp }) => privateIp),
  address('publicIp', 'Public address', ({ publicIp }) => publicIp),
]

const resourceColumns: readonly Column<CloudResource>[] = [
  textColumn({ id: 'kind', header: 'Kind', value: ({ kind }) => kindNames[kind], width: 84, priority: 1 }),
  textColumn({
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    // On a phone, the ID has no column of its own.
    cell: ({ name, id }) => (
      <>
        <span className="block truncate first-letter:uppercase max-md:leading-4">{name}</span>
        <span className="block truncate font-mono text-label leading-4 text-ink-3 md:hidden" title={id}>
          {id}
        </span>
      </>
    ),
    width: 180,
    grow: true,
    priority: 1,
  }),
  {
    id: 'id',
    header: 'Cloud ID',
    type: 'text',
    width: 250,
    priority: 2,
    value: ({ id }) => id,
    cell: ({ id, name }) => <CopyText text={id} label={`ID of ${name}`} />,
  },
  textColumn({ id: 'type', header: 'Type', value: ({ type }) => type, mono: true, width: 220, priority: 3 }),
  numberColumn({
    id: 'size',
    header: 'Size',
    unit: 'GB',
    value: ({ sizeGb }) => sizeGb,
    width: 84,
    priority: 2,
  }),
]
const machineId = ({ name }: Machine) => name
const resourceId = ({ type, id, name }: CloudResource) => `${type} ${id} ${name}`

/** Whether anything created so far may already cost money. */
const mayCost = ({ info }: CloudCluster, resources: readonly CloudResource[] | undefined): boolean =>
  isInProgress(info.state) ||
  (info.state === 'failed' && resources === undefined) ||
  (resources?.length ?? 0) > 0

/** The cluster's resources in the cloud. */
export default function MachinesTab({ cluster }: { cluster: CloudCluster }) {
  const resources = useResources(cluster)
  const soFar = priceSoFar(resources.data)
  return (
    <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_17rem]">
      <div className="flex min-w-0 flex-col gap-6">
        <section aria-label="Machines">
          <h2 className="mb-2 text-section font-semibold">Machines</h2>
          <DataTable
            label="Machines"
            columns={machineColumns}
            rows={cluster.machines}
            rowId={machineId}
            urlKey="machines"
            filter={cluster.machines.length > 8}
            empty={
              <EmptyState icon={Server} title="No machines">
                {resources.data?.some(({ kind }) => kind === 'machine')
                  ? 'None are ready. What was created so far is listed below.'
                  : 'Machines and their addresses appear here when the cluster is deployed.'}
              </EmptyState>
            }
          />
        </section>
        <section aria-label="Cloud resources">
          <h2 className="mb-2 text-section font-semibold">Cloud resources</h2>
          <Async
            data={resources}
            skeleton={<SkeletonRows rows={5} columns={5} />}
            empty={
              <div className="rounded-card border border-line-1 bg-surface-2">
                <EmptyState icon={CloudOff} title="No cloud resources">
                  Networks, firewalls, disks and addresses created for the cluster appear here.
                </EmptyState>
              </div>
            }
          >
            {(rows) => (
              <DataTable
                label="Cloud resources"
                columns={resourceColumns}
                rows={rows}
                rowId={resourceId}
                urlKey="resources"
              />
            )}
          </Async>
        </section>
      </div>
      <aside aria-label="Current price" className="rounded-card border border-line-1 bg-surface-2 p-4">
        <h2 className="mb-2 text-label text-ink-3">Current price</h2>
        {cluster.price ? (
          <PriceParts price={cluster.price} />
        ) : (
          <p className="text-body text-ink-2">
            {soFar !== null
              ? `At least ${money(soFar)} per hour for what exists so far.`
              : mayCost(cluster, resources.data)
                ? 'Unknown. Resources that already exist may cost money.'
                : (keptText(cluster) ?? 'Nothing is deployed, so it costs nothing.')}
          </p>
        )}
      </aside>
    </div>
  )
}
