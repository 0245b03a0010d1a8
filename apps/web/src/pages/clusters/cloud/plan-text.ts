import type { Plan, PlannedChange } from '@flotilla/contract/clusters/cloud'
import type { Tone } from '../../../ui/tone'

export const changeWords: Record<PlannedChange['action'], { word: string; tone: Tone }> = {
  add: { word: 'Add', tone: 'green' },
  change: { word: 'Change', tone: 'blue' },
  replace: { word: 'Replace', tone: 'amber' },
  destroy: { word: 'Destroy', tone: 'red' },
}

/** '27 to add, 1 to replace'; only what there is. */
export function countsOfPlan({ counts }: Pick<Plan, 'counts'>): string {
  const said = [
    [counts.add, 'to add'],
    [counts.change, 'to change'],
    [counts.replace, 'to replace'],
    [counts.destroy, 'to destroy'],
  ] as const
  return (
    said
      .filter(([count]) => count > 0)
      .map(([count, words]) => `${count} ${words}`)
      .join(', ') || 'No changes in the cloud'
  )
}

/** What would lose its data, by name. */
export const lossesOf = ({ changes }: Pick<Plan, 'changes'>): string[] =>
  changes.filter(({ dataLoss }) => dataLoss).map(({ what }) => what)

/** Worst first: what loses data, what goes, what is made anew. Among equals the plan's own order stays. */
const order: readonly PlannedChange['action'][] = ['destroy', 'replace', 'change', 'add']
export const worstFirst = (changes: readonly PlannedChange[]): PlannedChange[] =>
  changes.toSorted(
    (a, b) => Number(b.dataLoss) - Number(a.dataLoss) || order.indexOf(a.action) - order.indexOf(b.action),
  )
