import { TableQuery } from '@flotilla/contract/clusters'
import { expect, it } from 'vitest'
import { PAGE_ROWS, askedFor, pageQuery, pagesOf } from './table-query'
import { noFilter } from './table-state'

it('asks for everything when nothing is set', () => {
  expect(askedFor({ filter: noFilter, sort: null })).toEqual({})
})

it('leaves out how to filter while there is no text', () => {
  expect(askedFor({ filter: { text: '  ', by: 'endsWith', in: 'name' }, sort: null })).toEqual({})
})

it('says filter, column and order in the words of the contract', () => {
  const asked = askedFor({
    filter: { text: ' running ', by: 'matches', in: 'state' },
    sort: { column: 'cores', descending: true },
  })
  expect(asked).toEqual({
    filter: 'running',
    filterType: 'matches',
    column: 'state',
    sort: 'cores',
    descending: 'true',
  })
  expect(TableQuery.safeParse(pageQuery(asked, 3)).data).toMatchObject({
    ...asked,
    offset: 300,
    limit: PAGE_ROWS,
  })
})

it('names the pages of the rows in sight', () => {
  expect(pagesOf(0, -1)).toEqual([0])
  expect(pagesOf(0, 99)).toEqual([0])
  expect(pagesOf(90, 130)).toEqual([0, 1])
  expect(pagesOf(9950, 9999)).toEqual([99])
})
