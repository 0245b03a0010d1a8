import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { FilterBar } from './filter-bar'
import { StateChips } from './state-chips'

const text = (html: string) => html.replaceAll(/<[^>]*>/g, '')
const counts = [{ state: 'waiting', text: 'Waiting', count: 1000, tone: 'amber' as const }]

it.each([
  [false, 'All1,000Waiting1,000', '1,000 of 1,000'],
  [true, 'All1,000+Waiting1,000+', '1,000 of 1,000+'],
])('rows that are not loaded are not counted (older rows: %s)', (more, chips, shown) => {
  const props = { label: 'jobs', total: 1000, more, counts, value: undefined, onChange: () => {} }
  expect(text(renderToStaticMarkup(<StateChips {...props} />))).toBe(chips)
  const filter = { text: '', in: null, by: 'contains' as const }
  const bar = (
    <FilterBar label="Jobs" columns={[]} {...{ filter, more }} onChange={() => {}} shown={1000} all={1000} />
  )
  expect(text(renderToStaticMarkup(bar))).toContain(shown)
})
