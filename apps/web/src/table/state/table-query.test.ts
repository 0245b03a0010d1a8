import { TableQuery } from '@flotilla/contract/clusters/tables'
import { expect, it } from 'vitest'
import { PAGE_ROWS, toRowQuery, loadAll, pageQuery, pagesOf } from './table-query'
import { noFilter } from './table-state'

it('requests everything when nothing is set', () => {
  expect(toRowQuery({ filter: noFilter, sort: null })).toEqual({})
})

it('omits the filter type while there is no text', () => {
  expect(toRowQuery({ filter: { text: '  ', by: 'endsWith', in: 'name' }, sort: null })).toEqual({})
})

it('sends filter, column and order as the contract defines them', () => {
  const query = toRowQuery({
    filter: { text: ' running ', by: 'matches', in: 'state' },
    sort: { column: 'cores', descending: true },
  })
  expect(query).toEqual({
    filter: 'running',
    filterType: 'matches',
    column: 'state',
    sort: 'cores',
    descending: 'true',
  })
  expect(TableQuery.safeParse(pageQuery(query, 3)).data).toMatchObject({
    ...query,
    offset: 300,
    limit: PAGE_ROWS,
  })
})

it('lists the pages of the visible rows', () => {
  expect(pagesOf(0, -1)).toEqual([0])
  expect(pagesOf(0, 99)).toEqual([0])
  expect(pagesOf(90, 130)).toEqual([0, 1])
  expect(pagesOf(9950, 9999)).toEqual([99])
})

it('loads every matching row once, even if rows move in the meantime', async () => {
  const rows = Array.from({ length: 1203 }, (_, at) => ({ id: at }))
  const requests: { offset: number; limit: number; state?: string | undefined }[] = []
  const found = await loadAll(
    { state: 'queued' },
    async (query) => {
      requests.push(query)
      // A row that is added at the front in the meantime shifts the others.
      const now = requests.length === 1 ? rows : [{ id: 9999 }, ...rows]
      return { rows: now.slice(query.offset, query.offset + query.limit), matching: now.length }
    },
    ({ id }) => String(id),
  )
  expect(requests.map(({ offset, state }) => [offset, state])).toEqual([
    [0, 'queued'],
    [500, 'queued'],
    [1000, 'queued'],
  ])
  expect([...found.keys()]).toEqual(rows.map(({ id }) => String(id)))
  for (const query of requests) expect(TableQuery.safeParse(query).success).toBe(true)
})
