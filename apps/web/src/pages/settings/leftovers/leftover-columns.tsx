import { providerNames } from '@flotilla/contract/site/config'
import type { Leftover } from '@flotilla/contract/clusters/leftovers'
import type { Column } from '../../../table/column'
import { numberColumn, textColumn, timeColumn } from '../../../table/columns'
import { CopyText } from '../../../ui/text/copy-text'
import { money } from '../../../ui/text/price-text'
import { kindNames } from '../../../ui/status/resource-kinds'
import { nameOf } from './leftover-text'

/** The columns. The size is hidden first on narrow screens, because the removal dialog shows it too. */
export const leftoverColumns: readonly Column<Leftover>[] = [
  textColumn({ id: 'name', header: 'Name', value: nameOf, width: 142, least: 96, grow: true, priority: 1 }),
  textColumn({ id: 'kind', header: 'Kind', value: ({ kind }) => kindNames[kind], width: 88, priority: 2 }),
  textColumn({
    id: 'cluster',
    header: 'Cluster',
    value: ({ cluster }) => cluster,
    width: 92,
    least: 74,
    priority: 1,
  }),
  {
    id: 'price',
    header: 'Price',
    unit: 'USD/h',
    type: 'number',
    width: 116,
    least: 108,
    priority: 1,
    value: ({ perHour }) => perHour,
    cell: ({ perHour }) =>
      perHour === null ? <span className="text-ink-3">{money(perHour)}</span> : money(perHour),
  },
  textColumn({
    id: 'provider',
    header: 'Provider',
    value: ({ provider }) => providerNames[provider],
    width: 96,
    priority: 2,
  }),
  textColumn({
    id: 'region',
    header: 'Region',
    value: ({ region }) => region || null,
    width: 116,
    priority: 2,
  }),
  textColumn({
    id: 'credential',
    header: 'Credential',
    value: ({ credential }) => credential,
    width: 110,
    priority: 3,
  }),
  {
    id: 'id',
    header: 'Cloud ID',
    type: 'text',
    width: 150,
    priority: 3,
    value: ({ id }) => id,
    cell: (leftover) => <CopyText text={leftover.id} label={`ID of ${nameOf(leftover)}`} />,
  },
  numberColumn({
    id: 'size',
    header: 'Size',
    unit: 'GB',
    value: ({ sizeGb }) => sizeGb,
    width: 88,
    priority: 3,
  }),
  timeColumn({ id: 'found', header: 'Found', value: ({ foundAt }) => foundAt, width: 116, priority: 2 }),
]
