import { describe, expect, it } from 'vitest'
import { columnWidth, fitColumns, widenTimes } from './column'
import type { Column } from './column'
import { nextSort, sortRows } from './state/sort'
import { visibleColumns } from './state/column-chooser'
import { readHidden, readState, writeHidden, writeState } from './state/table-state'
import { inOrderOf } from './rows/use-held-order'

interface Node {
  name: string
  load: number | null
}
const nodes: Node[] = [
  { name: 'n10', load: 5 },
  { name: 'n2', load: null },
  { name: 'N1', load: 50 },
  { name: 'Ärger', load: 7 },
]
const columns: Column<Node>[] = [
  { id: 'name', header: 'Name', type: 'text', value: (node) => node.name, width: 200 },
  { id: 'load', header: 'Load', type: 'number', value: (node) => node.load, width: 100, priority: 2 },
  { id: 'note', header: 'Note', type: 'text', value: () => null, width: 100, priority: 3 },
]
const names = (rows: readonly Node[]) => rows.map((row) => row.name)

describe('sorting', () => {
  it('sorts names in natural order and numbers numerically', () => {
    expect(names(sortRows(nodes, columns, { column: 'name', descending: false }))).toEqual([
      'Ärger',
      'N1',
      'n2',
      'n10',
    ])
    expect(names(sortRows(nodes, columns, { column: 'load', descending: false }))).toEqual([
      'n10',
      'Ärger',
      'N1',
      'n2',
    ])
  })

  it('sorts rows without a value last in either direction', () => {
    expect(sortRows(nodes, columns, { column: 'load', descending: true }).at(-1)?.name).toBe('n2')
  })

  it('cycles through ascending, descending and the original order', () => {
    const up = nextSort(null, 'name')
    const down = nextSort(up, 'name')
    expect([up, down, nextSort(down, 'name')]).toEqual([
      { column: 'name', descending: false },
      { column: 'name', descending: true },
      null,
    ])
    expect(sortRows(nodes, columns, null)).toBe(nodes)
  })
})

describe('columns on a narrow screen', () => {
  it('drops the least important columns first', () => {
    const ids = (room: number) => fitColumns(columns, room).map((column) => column.id)
    expect(ids(400)).toEqual(['name', 'load', 'note'])
    expect(ids(399)).toEqual(['name', 'load'])
    expect(ids(250)).toEqual(['name'])
    expect(ids(10)).toEqual(['name'])
  })

  it('narrows the remaining columns down to their minimum', () => {
    const phone: Column<Node>[] = [
      { id: 'id', header: 'ID', type: 'text', value: () => null, width: 80, least: 60, priority: 1 },
      { id: 'name', header: 'Name', type: 'text', value: () => null, width: 140, least: 100, priority: 1 },
      { id: 'state', header: 'State', type: 'text', value: () => null, width: 120, priority: 1 },
    ]
    const widths = (room: number) => fitColumns(phone, room).map((column) => columnWidth(column))
    expect(widths(340)).toEqual([80, 140, 120])
    expect(widths(310)).toEqual([70, 120, 120])
    expect(widths(100)).toEqual([60, 100, 120])
  })
})

describe('columns with whole dates', () => {
  it('are widened, and the others stay as they are', () => {
    const dated: Column<Node>[] = [
      ...columns,
      { id: 'since', header: 'Since', type: 'date', value: () => null, width: 104 },
      { id: 'state', header: 'State', type: 'text', value: () => null, width: 192, holdsTime: true },
    ]
    expect(widenTimes(dated).map((column) => columnWidth(column))).toEqual([200, 100, 100, 196, 288])
  })
})

describe("a table's state", () => {
  const newest = { column: 'time', descending: true }

  it('survives a round trip through the URL', () => {
    const states = [
      { filter: { text: '12', by: 'greaterThan' as const, in: 'load' }, sort: newest },
      { filter: { text: 'a&b=c', by: 'contains' as const, in: null }, sort: null },
      {
        filter: { text: 'x', by: 'matches' as const, in: 'name' },
        sort: { column: 'name', descending: false },
      },
    ]
    for (const state of states)
      expect(readState(writeState(state, 'jobs', newest), 'jobs', newest)).toEqual(state)
  })

  it('omits defaults', () => {
    const written = writeState({ filter: { text: '', by: 'contains', in: null }, sort: newest }, '', newest)
    expect(Object.values(written).every((value) => value === undefined)).toBe(true)
    expect(readState(written, '', newest)).toBeNull()
  })

  it("accepts the router's numbers, and ignores invalid values", () => {
    expect(readState({ q: 12, by: 'nonsense', in: {}, other: 1 }, '', null)).toEqual({
      filter: { text: '12', by: 'contains', in: null },
      sort: null,
    })
    expect(readState({ 'jobs.q': 'x' }, '', null)).toBeNull()
  })
})

describe('hidden columns', () => {
  it('are remembered, and the first one stays', () => {
    const hidden = readHidden(writeHidden(new Set(['name', 'note']), 'jobs'), 'jobs')
    expect(visibleColumns(columns, hidden).map(({ id }) => id)).toEqual(['name', 'load'])
    expect(visibleColumns(columns, readHidden({}, 'jobs'))).toBe(columns)
    expect(writeHidden(new Set(), '')).toEqual({ hidden: undefined })
  })
})

describe('rows under the pointer', () => {
  it('stay in place; new rows are added at the end, and removed rows disappear', () => {
    const row = (id: string, load: number) => ({ id, load })
    const before = [row('a', 1), row('b', 2), row('c', 3)]
    const now = [row('d', 9), row('c', 8), row('a', 0)]
    expect(inOrderOf(before, now, (one) => one.id)).toEqual([row('a', 0), row('c', 8), row('d', 9)])
  })
})
