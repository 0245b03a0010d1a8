import { withinReason } from '../../schedulers/bounds'
import { countNodes, expandNodes, firstNode } from '../../schedulers/node-list'
import type { UsageRecord } from '../../schedulers/scheduler'
import type { Costs } from '../clusters/open'
import type { ObservedJob } from './store'

/** Prepares jobs to be saved together, with what their price depends on: the size of the first node. */
export function observedJobs(
  records: UsageRecord[],
  { sizeOf }: Pick<Costs, 'sizeOf'>,
  { recorded }: { recorded: boolean },
): ObservedJob[] {
  const inPlainBrackets = makePlainBrackets()
  return records.map((record) => {
    const seen = withinReason({ ...record })
    return {
      ...seen,
      nodeList: inPlainBrackets(seen.nodeList),
      recorded,
      size: sizeOf.size === 0 ? '' : (sizeOf.get(firstNode(seen.nodeList)) ?? ''),
    }
  })
}

/** Enough for the expanded names of 2,000 nodes. */
const WRITTEN_MAX = 30_000
/** One character and a comma. */
const SHORTEST_NAME = 2
/** More names than the multi-node jobs of a large cluster have in a day. */
const NAMES_MAX = 500_000

/**
 * The database finds nodes only in names with one pair of brackets. Names with more are expanded, unless the list gets
 * too long.
 */
function makePlainBrackets(): (nodeList: string) => string {
  const known = new Map<string, string>()
  let left = NAMES_MAX
  const writeOut = (nodeList: string): string => {
    const count = countNodes(nodeList)
    if (count > left || count * SHORTEST_NAME > WRITTEN_MAX) return ''
    left -= count
    const written = expandNodes(nodeList).join(',')
    return written.length > WRITTEN_MAX ? '' : written
  }
  return (nodeList) => {
    if (!/\][^,[\]]*\[/.test(nodeList)) return nodeList
    const written = known.get(nodeList) ?? writeOut(nodeList)
    known.set(nodeList, written)
    return written
  }
}

const DAY_MS = 86_400_000
const LONGEST_MS = 5 * 365 * DAY_MS
/** Each day of a job is counted separately, so a job that ran for centuries would fill the database. */
export function isPlausible({ startTime, endTime }: UsageRecord, now: number): boolean {
  const end = endTime ?? now
  return startTime <= now + DAY_MS && end <= now + DAY_MS && end - startTime <= LONGEST_MS
}
