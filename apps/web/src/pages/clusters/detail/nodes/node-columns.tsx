import type { ClusterNode } from '@flotilla/contract/clusters/tables'
import type { Column } from '../../../../table/column'
import { numberColumn, textColumn } from '../../../../table/columns'
import { RowLink } from '../../../../ui/button/link'
import { Status } from '../../../../ui/status/status'
import { capital } from '../../cluster-text'
import { nodeTone } from '../../node-text'
import { Meter } from './meter'

const gigabytes = (mb: number): string => (mb / 1024).toFixed(mb < 10_240 ? 1 : 0)

/** '3.1 of 8 GB', or only the size if the free part is unknown. */
export function memoryText({ memoryMb, memoryFreeMb }: ClusterNode): string | null {
  if (memoryMb === null) return null
  return memoryFreeMb === null
    ? `${gigabytes(memoryMb)} GB`
    : `${gigabytes(memoryMb - memoryFreeMb)} of ${gigabytes(memoryMb)} GB`
}

/** The column IDs are the names that the server filters and sorts by. */
export const nodeColumns: readonly Column<ClusterNode>[] = [
  {
    id: 'name',
    header: 'Name',
    type: 'text',
    width: 130,
    grow: true,
    priority: 1,
    value: (node) => node.name,
    // The open node is part of the URL, so that it can be linked to.
    cell: (node) => (
      <RowLink to="." search={(now: object) => ({ ...now, node: node.name })} resetScroll={false}>
        {node.name}
      </RowLink>
    ),
  },
  {
    id: 'state',
    header: 'State',
    type: 'text',
    width: 168,
    priority: 1,
    value: (node) => capital(node.state),
    cell: (node) => (
      <Status tone={nodeTone(node)} pulse={false} detail={node.note || undefined}>
        {capital(node.state)}
      </Status>
    ),
  },
  {
    id: 'coresUsed',
    header: 'Cores',
    unit: 'used',
    type: 'number',
    align: 'left',
    width: 156,
    priority: 1,
    value: (node) => node.coresUsed,
    cell: (node) => (
      <Meter
        label="Cores used"
        value={node.coresUsed}
        of={node.cores}
        text={`${node.coresUsed} of ${node.cores}`}
      />
    ),
  },
  {
    id: 'gpusUsed',
    header: 'GPUs',
    type: 'number',
    width: 84,
    priority: 2,
    value: (node) => node.gpusUsed,
    cell: (node) =>
      node.gpus === 0 ? <span className="text-ink-3">–</span> : `${node.gpusUsed} of ${node.gpus}`,
  },
  {
    id: 'memoryMb',
    header: 'Memory',
    type: 'number',
    width: 128,
    priority: 3,
    value: (node) => node.memoryMb,
    cell: (node) => memoryText(node) ?? <span className="text-ink-3">–</span>,
  },
  numberColumn({ id: 'load', header: 'Load', value: (node) => node.load, digits: 2, width: 84, priority: 2 }),
  textColumn({
    id: 'reason',
    header: 'Reason',
    value: (node) => node.reason,
    width: 180,
    grow: true,
    priority: 2,
  }),
  textColumn({
    id: 'partitions',
    header: 'Partitions',
    value: (node) => node.partitions.join(', '),
    width: 120,
    priority: 3,
    sortable: false,
  }),
]
