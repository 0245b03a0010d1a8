import { Plus, Power, RotateCw, Server, SquareTerminal, Trash2 } from 'lucide-react'
import { useEffect, useState } from 'react'
import { linkColumn, numberColumn, statusColumn, tagsColumn, textColumn, timeColumn } from '../table/columns'
import { DataTable } from '../table/data-table'
import { Button } from '../ui/button/button'
import { EmptyState } from '../ui/feedback/empty-state'
import { notices } from '../ui/feedback/notices-store'
import { Stale } from '../ui/feedback/stale'
import { makeNodes } from './nodes'
import type { Node } from './nodes'
import { Section } from './section'

const columns = [
  linkColumn<Node>({
    id: 'name',
    header: 'Name',
    value: (node) => node.name,
    to: (node) => `/nodes/${node.id}`,
  }),
  statusColumn<Node>({
    id: 'state',
    header: 'State',
    value: (node) => node.state,
    tone: (node) => node.tone,
  }),
  textColumn<Node>({ id: 'cluster', header: 'Cluster', value: (node) => node.cluster, priority: 2 }),
  textColumn<Node>({ id: 'type', header: 'Instance type', value: (node) => node.type, priority: 3 }),
  numberColumn<Node>({ id: 'cores', header: 'Cores', value: (node) => node.cores, width: 88, priority: 2 }),
  numberColumn<Node>({
    id: 'memory',
    header: 'Memory',
    unit: 'GB',
    value: (node) => node.memory,
    width: 120,
    priority: 3,
  }),
  numberColumn<Node>({
    id: 'load',
    header: 'Load',
    unit: '%',
    value: (node) => node.load,
    digits: 1,
    priority: 2,
  }),
  tagsColumn<Node>({ id: 'tags', header: 'Tags', value: (node) => node.tags, width: 136, priority: 3 }),
  textColumn<Node>({
    id: 'address',
    header: 'Address',
    value: (node) => node.address,
    mono: true,
    width: 120,
    priority: 3,
  }),
  timeColumn<Node>({ id: 'since', header: 'Since', value: (node) => node.since, width: 112, priority: 2 }),
]

const nodeId = (node: Node): string => node.id
const versionOf = (node: Node): number => node.version
const now = Date.now()

const actionsOf = (node: Node) => [
  { to: `/nodes/${node.id}/terminal`, label: 'Open terminal', icon: SquareTerminal },
  { label: 'Restart', icon: RotateCw, onSelect: () => notices.success(`${node.name} restarts`) },
  {
    label: 'Power off',
    icon: Power,
    disabledReason: node.state === 'busy' ? 'A job is running on it' : null,
    onSelect: () => notices.info(`${node.name} is powering off`),
  },
  'separator' as const,
  { label: 'Release node', icon: Trash2, onSelect: () => notices.error('The head node cannot be reached') },
]

const bulkActionsOf = (nodes: readonly Node[]) => [
  { label: 'Restart', icon: RotateCw, onSelect: () => notices.success(`${nodes.length} nodes restart`) },
  {
    label: 'Release',
    icon: Trash2,
    disabledReason: nodes.some((node) => node.state === 'busy') ? 'Some of them are busy' : null,
    onSelect: () => notices.success('All Nodes Released Successfully'),
  },
]

export function Tables() {
  const [count, setCount] = useState(10_000)
  const [nodes, setNodes] = useState(() => makeNodes(10_000, now))

  useEffect(() => {
    // A live feed: now and then one of the first rows changes.
    const timer = setInterval(() => {
      const at = Math.floor(Date.now() / 3000) % 8
      setNodes((before) =>
        before.map((node, index) => (index === at ? { ...node, version: node.version + 1 } : node)),
      )
    }, 3000)
    return () => clearInterval(timer)
  }, [])

  const show = (rows: number) => {
    setCount(rows)
    setNodes(makeNodes(rows, now))
  }
  return (
    <Section title="Table">
      <DataTable
        label="Nodes"
        columns={columns}
        rows={nodes}
        rowId={nodeId}
        rowVersion={versionOf}
        rowActions={actionsOf}
        bulkActions={bulkActionsOf}
        maxHeight="440px"
        empty={
          <EmptyState
            icon={Server}
            title="No nodes yet"
            action={
              <Button variant="primary" icon={Plus} onClick={() => show(10_000)}>
                Add nodes
              </Button>
            }
          >
            Nodes appear here as soon as a cluster is deployed.
          </EmptyState>
        }
        toolbar={
          <>
            <Stale since={now} staleAfterMs={120_000} />
            <Button onClick={() => show(count === 10_000 ? 6 : count === 6 ? 0 : 10_000)}>
              {count} rows
            </Button>
          </>
        }
      />
    </Section>
  )
}
