import type { Plan, PlannedChange } from '@flotilla/contract/clusters/cloud'
import { expect, it } from 'vitest'
import { changeLabels, countsOfPlan, lossesOf, worstFirst } from './plan-text'

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

it('every planned action has a label and a color', () => {
  expect(Object.values(changeLabels).map(({ label }) => label)).toEqual([
    'Add',
    'Change',
    'Replace',
    'Destroy',
  ])
})

it('sorts changes that lose data first, and lists their names', () => {
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
