import type { Plan, PlannedChange } from '@flotilla/contract/clusters/cloud'
import type { Tone } from '../../../../ui/status/tone'

export const changeLabels: Record<PlannedChange['action'], { label: string; tone: Tone }> = {
  add: { label: 'Add', tone: 'green' },
  change: { label: 'Change', tone: 'blue' },
  replace: { label: 'Replace', tone: 'amber' },
  destroy: { label: 'Destroy', tone: 'red' },
}

/** '27 to add, 1 to replace', without zeros. */
export function countsOfPlan({ counts }: Pick<Plan, 'counts'>): string {
  const parts = [
    [counts.add, 'to add'],
    [counts.change, 'to change'],
    [counts.replace, 'to replace'],
    [counts.destroy, 'to destroy'],
  ] as const
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, text]) => `${count} ${text}`)
      .join(', ') || 'No changes in the cloud'
  )
}

/** The names of resources that would lose data. */
export const lossesOf = ({ changes }: Pick<Plan, 'changes'>): string[] =>
  changes.filter(({ dataLoss }) => dataLoss).map(({ what }) => what)

/** Worst first: data loss, then destroyed, then replaced. Ties keep the plan's order. */
const order: readonly PlannedChange['action'][] = ['destroy', 'replace', 'change', 'add']
export const worstFirst = (changes: readonly PlannedChange[]): PlannedChange[] =>
  changes.toSorted(
    (a, b) => Number(b.dataLoss) - Number(a.dataLoss) || order.indexOf(a.action) - order.indexOf(b.action),
  )
