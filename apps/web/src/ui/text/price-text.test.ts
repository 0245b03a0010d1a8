import { expect, it } from 'vitest'
import { perHourText, money, partText, priceLine, sourceText } from './price-text'

it('never shows an unknown price as zero', () => {
  expect(money(null)).toBe('no price')
  expect(perHourText(null)).toBe('no price')
  expect([0, 0.0058, 0.416, 9.5, 32, 1234.5].map(money)).toEqual([
    '$0.00',
    '$0.0058',
    '$0.416',
    '$9.50',
    '$32.00',
    '$1,234.50',
  ])
})

it('says what a price excludes, and that a simulated price is not billed', () => {
  const price = { perHour: 0.416, perMonth: 303.68, note: null, unpriced: [] }
  expect(priceLine(price)).toBe('$0.416 per hour, $303.68 per month')
  expect(priceLine({ ...price, unpriced: ['disk data'], note: 'estimate, not billed' })).toBe(
    'at least $0.416 per hour, $303.68 per month, plus disk data (no price); estimate, not billed',
  )
  expect(priceLine({ ...price, unpriced: ['disk data, 100 GB', 'gateway'] })).toBe(
    'at least $0.416 per hour, $303.68 per month, plus 2 items with no price (disk data and 1 more)',
  )
  expect(priceLine({ ...price, perHour: null, perMonth: null, unpriced: ['node'] })).toBe('an unknown amount')
  expect(partText({ what: 'nodes, t3.xlarge', count: 2, perHour: 1 })).toBe('2 × nodes, t3.xlarge')
  expect(sourceText({ source: 'a list; and more', date: '2026-08-22' })).toBe('a list, 2026-08-22')
})
