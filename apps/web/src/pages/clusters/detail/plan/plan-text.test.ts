import type { Plan, PlannedChange } from '@flotilla/contract/clusters/cloud'
import { expect, it } from 'vitest'
import { changeLabels, countsOfPlan, lossesOf, worstFirst } from './plan-text'
import { perHourText, money, partText, priceLine, sourceText } from '../../../../ui/text/price-text'
import { progressOf } from '../progress'

const change = (action: PlannedChange['action'], what: string, dataLoss = false): PlannedChange => ({
  action,
  what,
  dataLoss,
  address: what,
  type: 'aws_instance',
  detail: '',
})
const counts: Plan['counts'] = { add: 0, change: 0, replace: 0, destroy: 0 }

it('counts only the changes in a plan', () => {
  expect(countsOfPlan({ counts: { ...counts, add: 27, replace: 1 } })).toBe('27 to add, 1 to replace')
  expect(countsOfPlan({ counts })).toMatch(/^No changes/)
})

it('has a label and a color for every planned action', () => {
  expect(Object.values(changeLabels).map(({ label }) => label)).toEqual([
    'Add',
    'Change',
    'Replace',
    'Destroy',
  ])
})

it('lists changes that lose data first, and names them', () => {
  const changes = [
    change('add', 'network'),
    change('destroy', 'firewall'),
    change('replace', 'head node', true),
    change('change', 'disk data'),
    change('destroy', 'disk old', true),
  ]
  expect(worstFirst(changes).map(({ what }) => what)).toEqual([
    'disk old',
    'head node',
    'firewall',
    'disk data',
    'network',
  ])
  expect(lossesOf({ changes })).toEqual(['head node', 'disk old'])
})

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
    'at least $0.416 per hour, $303.68 per month, plus 2 items with no price, such as disk data',
  )
  expect(priceLine({ ...price, perHour: null, perMonth: null, unpriced: ['node'] })).toBe('an unknown amount')
  expect(partText({ what: 'nodes, t3.xlarge', count: 2, perHour: 1 })).toBe('2 × nodes, t3.xlarge')
  expect(sourceText({ source: 'a list; and more', date: '2026-08-22' })).toBe('a list, 2026-08-22')
})

it('counts the engine’s progress through the current plan', () => {
  const lines = (...texts: string[]) => texts.map((text) => ({ text }))
  expect(progressOf(lines('Initializing the backend...'))).toBeNull()
  const logLines = [
    'Plan: 2 to add, 1 to change, 1 to destroy.',
    'aws_vpc.network["made"]: Creating...',
    'aws_vpc.network["made"]: Creation complete after 0s [id=vpc-1]',
    'aws_instance.head: Modifications complete after 3s [id=i-1]',
  ]
  expect(progressOf(lines(...logLines))).toEqual({ done: 2, of: 4 })
  // Replanned because the cloud had changed: it counts from the start.
  expect(progressOf(lines(...logLines, 'Plan: 1 to add, 0 to change, 0 to destroy.'))).toEqual({
    done: 0,
    of: 1,
  })
})
