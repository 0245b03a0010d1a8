import { withinReason } from '../../schedulers/bounds'
import { countNodes, expandNodes, firstNode } from '../../schedulers/node-list'
import type { UsageRecord } from '../../schedulers/scheduler'
import type { Costs } from '../clusters/open'
import type { JobSeen } from './store'

/** Jobs that are saved together, with what their price depends on: the size of the first node. */
export function asSeen(
  records: UsageRecord[],
  { sizeOf }: Pick<Costs, 'sizeOf'>,
  { recorded }: { recorded: boolean },
): JobSeen[] {
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

/** Written out, the names of 2,000 nodes. */
const WRITTEN_MAX = 30_000
/** With its comma. */
const SHORTEST_NAME = 2
/** More names than jobs on several nodes have in a day of a large cluster. */
const NAMES_MAX = 500_000

/** The database looks a node up among names with one pair of brackets; a name with more is written out, if it is not too long. */
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
/** Each day of a job is counted by itself: one that has run for centuries would fill the database. */
export function isPlausible({ startTime, endTime }: UsageRecord, now: number): boolean {
  const end = endTime ?? now
  return startTime <= now + DAY_MS && end <= now + DAY_MS && end - startTime <= LONGEST_MS
}
