import type * as usage from '../../../modules/usage/store'
import type { DemoCluster } from '../clusters/clusters'
import type { DemoNode } from './history'
import { DAY_MS } from '../time'

export const HISTORY_DAYS = 60

/** A cluster as it is now, for which a history is generated. */
export type Subject = {
  id: string
  name: string
  nodes: DemoNode[]
  /** Its machines and disks with their prices. */
  items: usage.Machine[]
  rates: Awaited<ReturnType<typeof usage.lastRates>>
  /** What the price of its jobs depends on: the size of its nodes. */
  size: string
  about: Pick<DemoCluster, 'end' | 'earlierPrice' | 'gap' | 'serviceAccount'> & {
    elastic: boolean
    seed: number
  }
}

/** When the generated history begins, when its last job ended, and when the real records begin. */
export type Period = {
  from: number
  jobsTo: number
  to: number
  gap: { from: number; to: number } | undefined
  /** When the price changed, and how much higher it was before. */
  price: { changedAt: number; factor: number } | undefined
}

export function periodOf({ about: { end, earlierPrice, gap } }: Pick<Subject, 'about'>, now: number): Period {
  const ago = (days: number) => now - days * DAY_MS
  return {
    from: ago(HISTORY_DAYS),
    jobsTo: end ? ago(end.daysAgo) : now,
    to: now,
    gap: gap && { from: ago(gap.from), to: ago(gap.to) },
    price: earlierPrice && { changedAt: ago(earlierPrice.untilDaysAgo), factor: earlierPrice.factor },
  }
}
