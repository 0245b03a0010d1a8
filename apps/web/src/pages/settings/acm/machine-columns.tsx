import type { AcmMachine } from '@flotilla/contract/clouds/acm'
import type { Column } from '../../../table/column'
import { numberColumn, statusColumn, tagsColumn, textColumn } from '../../../table/columns'
import type { Tone } from '../../../ui/status/tone'

function toneOf({ status }: AcmMachine): Tone {
  if (status === 'Ready') return 'green'
  if (/^(Deployed|Allocated)$/.test(status)) return 'gray'
  if (/^(Deploying|Releasing|Commissioning|Testing|Disk erasing)$/.test(status)) return 'blue'
  return /fail|broken|missing/i.test(status) ? 'red' : 'amber'
}

export const machineColumns: readonly Column<AcmMachine>[] = [
  textColumn({
    id: 'hostname',
    header: 'Machine',
    value: ({ hostname }) => hostname,
    mono: true,
    width: 150,
    grow: true,
  }),
  statusColumn({ id: 'status', header: 'State', value: ({ status }) => status, tone: toneOf, width: 130 }),
  numberColumn({ id: 'cores', header: 'Cores', value: ({ cores }) => cores || null, width: 80, priority: 2 }),
  numberColumn({
    id: 'memory',
    header: 'Memory',
    unit: 'GiB',
    value: ({ memory }) => memory || null,
    width: 124,
    priority: 2,
  }),
  textColumn({ id: 'pool', header: 'Pool', value: ({ pool }) => pool, width: 110, priority: 2 }),
  textColumn({ id: 'zone', header: 'Zone', value: ({ zone }) => zone, width: 110, priority: 3 }),
  tagsColumn({ id: 'tags', header: 'Tags', value: ({ tags }) => tags, priority: 3 }),
  textColumn({ id: 'owner', header: 'Owner', value: ({ owner }) => owner, width: 110, priority: 3 }),
]
