import { filterTypes } from '@flotilla/contract/messages'
import type { FilterType } from '@flotilla/contract/messages'
import { describe, expect, it } from 'vitest'
import type { Column } from '../column'
import { createTextCache, filterRows, parsePeriod } from './filter'

interface Job {
  name: string
  owner: string | null
  cores: number | null
  started: Date | null
  limit: number
  size: number
}

const day = (text: string) => new Date(`${text}T12:00:00`)
const jobs: Job[] = [
  { name: 'Weather nightly', owner: 'ada', cores: 36, started: day('2024-05-01'), limit: 3600, size: 812 },
  { name: 'render', owner: 'grace', cores: 120, started: day('2024-05-31'), limit: 5400, size: 1_400_000 },
  {
    name: 'Render preview',
    owner: null,
    cores: 8,
    started: day('2025-01-10'),
    limit: 30,
    size: 20_000_000_000,
  },
  { name: 'n10', owner: 'ada', cores: null, started: null, limit: 172_800, size: 0 },
]
const columns: Column<Job>[] = [
  { id: 'name', header: 'Name', type: 'text', value: (job) => job.name },
  { id: 'owner', header: 'Owner', type: 'text', value: (job) => job.owner },
  { id: 'cores', header: 'Cores', type: 'number', value: (job) => job.cores },
  { id: 'started', header: 'Started', type: 'date', value: (job) => job.started },
  { id: 'limit', header: 'Time limit', type: 'duration', value: (job) => job.limit },
  { id: 'size', header: 'Size', type: 'size', value: (job) => job.size },
]
const found = (text: string, by: FilterType = 'contains', column: string | null = null) =>
  filterRows(jobs, columns, { text, by, in: column }).map((job) => job.name)

describe('the table filter', () => {
  it('keeps every row while nothing is typed', () => {
    expect(found('  ')).toHaveLength(4)
  })

  it('searches any column, or only the chosen one', () => {
    expect(found('AD')).toEqual(['Weather nightly', 'n10'])
    expect(found('ad', 'contains', 'name')).toEqual([])
    expect(found('render', 'contains', 'no such column')).toEqual(['render', 'Render preview'])
  })

  it('matches the start and the end', () => {
    expect(found('REN', 'startsWith')).toEqual(['render', 'Render preview'])
    expect(found('nightly', 'endsWith')).toEqual(['Weather nightly'])
    expect(found('nightly', 'startsWith')).toEqual([])
  })

  it('matches the whole value ignoring case', () => {
    expect(found('RENDER', 'matches')).toEqual(['render'])
    expect(found('36', 'matches', 'cores')).toEqual(['Weather nightly'])
    expect(found('3', 'matches', 'cores')).toEqual([])
  })

  it('compares numbers numerically, and never matches missing ones', () => {
    expect(found('36', 'greaterThan', 'cores')).toEqual(['render'])
    expect(found('100', 'lessThan', 'cores')).toEqual(['Weather nightly', 'Render preview'])
    expect(found('many', 'lessThan', 'cores')).toEqual([])
  })

  it('compares dates by the typed period: a month or a day', () => {
    expect(found('2024-05', 'greaterThan', 'started')).toEqual(['Render preview'])
    expect(found('2024-05-31', 'lessThan', 'started')).toEqual(['Weather nightly'])
    expect(found('2024-05-', 'greaterThan', 'started')).toEqual(['Render preview'])
    expect(found('soon', 'greaterThan', 'started')).toEqual([])
  })

  it('compares text in natural order', () => {
    expect(found('n9', 'greaterThan', 'name')).toEqual(['Weather nightly', 'render', 'Render preview', 'n10'])
    expect(found('n11', 'lessThan', 'name')).toEqual(['n10'])
  })

  it('compares only numbers when no column is chosen', () => {
    expect(found('36', 'greaterThan')).toEqual(['render'])
    expect(found('12', 'lessThan')).toEqual(['Render preview'])
    expect(found('2025-01-01', 'greaterThan')).toEqual([])
    expect(found('weather', 'greaterThan')).toEqual([])
  })

  it('compares time limits in minutes, as hh:mm:ss or as they are shown', () => {
    const long = ['render', 'n10']
    for (const text of ['60', '01:00:00', '1 h', '0-01'])
      expect(found(text, 'greaterThan', 'limit')).toEqual(long)
    expect(found('1', 'lessThan', 'limit')).toEqual(['Render preview'])
    expect(found('3599', 'greaterThan', 'limit')).toEqual([])
    expect(found('soon', 'greaterThan', 'limit')).toEqual([])
  })

  it('finds time limits and sizes by what is shown, not by the stored number', () => {
    expect(found('1 h 30')).toEqual(['render'])
    expect(found('01:30:00', 'contains', 'limit')).toEqual(['render'])
    expect(found('90', 'matches', 'limit')).toEqual(['render'])
    expect(found('5400')).toEqual([])
    expect(found('2 d', 'startsWith')).toEqual(['n10'])
    expect(found('1.4 mb')).toEqual(['render'])
    expect(found('1 MB', 'greaterThan', 'size')).toEqual(['render', 'Render preview'])
    expect(found('1400000')).toEqual([])
  })

  it('finds the same rows with cached texts', () => {
    const textsOf = createTextCache(columns)
    const types = Object.keys(filterTypes) as FilterType[] // keys() widens to string
    for (const by of types) {
      for (const column of [null, 'name', 'cores', 'started', 'limit', 'size']) {
        const filter = { text: 'render', by, in: column }
        expect(filterRows(jobs, columns, filter, textsOf)).toEqual(filterRows(jobs, columns, filter))
      }
    }
  })

  it('spells its types as specified', () => {
    expect(Object.values(filterTypes)).toEqual([
      'Contains',
      'Starts with',
      'Ends with',
      'Matches',
      'Grater than',
      'Less than',
    ])
  })
})

describe('a typed date', () => {
  const local = (...parts: [number, number, number?, number?, number?]) =>
    new Date(parts[0], parts[1] - 1, parts[2] ?? 1, parts[3] ?? 0, parts[4] ?? 0).getTime()

  it('stands for its whole period', () => {
    expect(parsePeriod('2024')).toEqual({ start: local(2024, 1), end: local(2025, 1) })
    expect(parsePeriod('2024-12')).toEqual({ start: local(2024, 12), end: local(2025, 1) })
    expect(parsePeriod('2024-02-29')).toEqual({ start: local(2024, 2, 29), end: local(2024, 3, 1) })
    expect(parsePeriod('2024-05-01 09:30')).toEqual({
      start: local(2024, 5, 1, 9, 30),
      end: local(2024, 5, 1, 9, 31),
    })
  })

  it('is null if it is not a date', () => {
    expect(parsePeriod('yesterday')).toBeNull()
    expect(parsePeriod('24')).toBeNull()
  })
})
