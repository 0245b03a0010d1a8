import { withinReason } from '../../schedulers/bounds'
import { expandNodes } from '../../schedulers/node-list'
import type { UsageRecord } from '../../schedulers/scheduler'
import type { Costs } from '../clusters/cloud/costs'
import type { JobSeen } from './store'

/** A job with what its price depends on: the size of its first node. */
export function asSeen(
  record: UsageRecord,
  { sizeOf }: Pick<Costs, 'sizeOf'>,
  { recorded }: { recorded: boolean },
): JobSeen {
  const seen = withinReason({ ...record })
  const nodeList = inPlainBrackets(seen.nodeList)
  return {
    ...seen,
    nodeList,
    recorded,
    size: sizeOf.size === 0 ? '' : (sizeOf.get(firstNode(seen)) ?? ''),
  }
}

/** Written out, the names of 2,000 nodes. */
const WRITTEN_MAX = 30_000

/** The database looks a node up among names with one pair of brackets; a name with more is written out, if it is not too long. */
function inPlainBrackets(nodeList: string): string {
  if (!/\][^,[\]]*\[/.test(nodeList)) return nodeList
  const written = expandNodes(nodeList).join(',')
  return written.length > WRITTEN_MAX ? '' : written
}

const DAY_MS = 86_400_000
const LONGEST_MS = 5 * 365 * DAY_MS
/** Each day of a job is counted by itself: one that has run for centuries would fill the database. */
export function isPlausible({ startTime, endTime }: UsageRecord, now: number): boolean {
  const end = endTime ?? now
  return startTime <= now + DAY_MS && end <= now + DAY_MS && end - startTime <= LONGEST_MS
}

function firstNode({ nodeList }: UsageRecord): string {
  const [first = ''] = nodeList.includes('[') ? expandNodes(nodeList) : nodeList.split(',', 1)
  return first
}
