import { managerNames } from '@flotilla/contract/clusters/inputs'
import { providerNames } from '@flotilla/contract/site/config'
import type { Stack } from '@flotilla/contract/stacks/entity'
import { paths } from '../../paths'
import type { Column } from '../../table/column'
import { linkColumn, numberColumn, textColumn, timeColumn } from '../../table/columns'
import { Status } from '../../ui/status/status'
import { stateOf } from './stack-text'

export const stackColumns: readonly Column<Stack>[] = [
  linkColumn({
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    to: ({ id }) => paths.stack(id),
    width: 180,
    grow: true,
    priority: 1,
  }),
  {
    id: 'state',
    header: 'State',
    type: 'text',
    width: 170,
    priority: 1,
    value: (stack) => stateOf(stack).label,
    cell: (stack) => <Status tone={stateOf(stack).tone}>{stateOf(stack).label}</Status>,
  },
  textColumn({
    id: 'provider',
    header: 'Provider',
    value: ({ provider }) => providerNames[provider],
    width: 100,
    priority: 2,
  }),
  textColumn({
    id: 'manager',
    header: 'Resource manager',
    value: ({ data }) => managerNames[data.manager],
    width: 150,
    priority: 3,
  }),
  textColumn({
    id: 'os',
    header: 'System',
    value: ({ data }) => data.source_os_type,
    width: 120,
    priority: 3,
  }),
  textColumn({ id: 'owner', header: 'Owner', value: ({ owner }) => owner, width: 110, priority: 3 }),
  numberColumn({ id: 'usedBy', header: 'Clusters', value: ({ usedBy }) => usedBy, width: 92, priority: 2 }),
  timeColumn({ id: 'since', header: 'Since', value: ({ since }) => since, width: 128, priority: 2 }),
]
