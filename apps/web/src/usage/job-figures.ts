import type { AccountUsage } from '@flotilla/contract/site/usage'
import type { Column } from '../table/column'
import { figureColumn, type Target } from './link-cell'
import { hoursText, priceText } from './usage-text'

type JobFigures = Pick<
  AccountUsage,
  'jobs' | 'coreHours' | 'gpuHours' | 'nodeHours' | 'price' | 'unpricedCoreHours'
>

/** The columns with the total usage and cost of jobs, each linked to those jobs. */
export function jobFigures<Row extends JobFigures>(link: (row: Row) => Target): readonly Column<Row>[] {
  const hours = (
    id: 'coreHours' | 'gpuHours' | 'nodeHours',
    header: string,
    layout: Pick<Column<Row>, 'width' | 'least' | 'priority'>,
  ) =>
    figureColumn<Row>({
      id,
      header,
      value: (row) => row[id],
      text: (value) => hoursText(value ?? 0),
      link,
      ...layout,
    })
  return [
    figureColumn({
      id: 'jobs',
      header: 'Jobs',
      value: ({ jobs }) => jobs,
      text: (value) => (value ?? 0).toLocaleString(),
      link,
      width: 90,
      least: 68,
      priority: 1,
    }),
    hours('coreHours', 'Core hours', { width: 124, least: 110, priority: 1 }),
    hours('gpuHours', 'GPU hours', { width: 116, priority: 3 }),
    hours('nodeHours', 'Node hours', { width: 120, priority: 2 }),
    figureColumn({
      id: 'price',
      header: 'Price',
      value: ({ price }) => price,
      text: (value, { unpricedCoreHours }) => priceText(value, unpricedCoreHours),
      link,
      width: 140,
      least: 88,
      priority: 1,
    }),
  ]
}
