import type { CourseSummary } from '@flotilla/contract/courses/entity'
import { paths } from '../../paths'
import type { Column } from '../../table/column'
import { linkColumn, numberColumn, textColumn, timeColumn } from '../../table/columns'

export const courseColumns: readonly Column<CourseSummary>[] = [
  linkColumn({
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    to: ({ id }) => paths.course(id),
    width: 200,
    grow: true,
    priority: 1,
  }),
  textColumn({
    id: 'description',
    header: 'Description',
    value: ({ description }) => description,
    width: 260,
    grow: true,
    priority: 3,
  }),
  numberColumn({
    id: 'chapters',
    header: 'Chapters',
    value: ({ chapters }) => chapters,
    width: 108,
    priority: 2,
  }),
  textColumn({ id: 'owner', header: 'Owner', value: ({ owner }) => owner, width: 120, priority: 2 }),
  timeColumn({
    id: 'updatedAt',
    header: 'Updated',
    value: ({ updatedAt }) => updatedAt,
    width: 128,
    priority: 2,
  }),
]
