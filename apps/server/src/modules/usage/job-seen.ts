import { expandNodes } from '../../schedulers/node-list'
import type { UsageRecord } from '../../schedulers/scheduler'
import type { Costs } from '../clusters/open'
import type { JobSeen } from './store'

/** A job with what its price depends on: the size of its first node. */
export function asSeen(
  record: UsageRecord,
  { sizeOf }: Pick<Costs, 'sizeOf'>,
  { recorded }: { recorded: boolean },
): JobSeen {
  const nodeList = inPlainBrackets(record.nodeList)
  return {
    ...record,
    nodeList,
    recorded,
    size: sizeOf.size === 0 ? '' : (sizeOf.get(firstNode(record)) ?? ''),
  }
}

/** The database looks a node up among names with one pair of brackets; a name with more is written out. */
const inPlainBrackets = (nodeList: string) =>
  /\][^,[]*\[/.test(nodeList) ? expandNodes(nodeList).join(',') : nodeList

function firstNode({ nodeList }: UsageRecord): string {
  const [first = ''] = nodeList.includes('[') ? expandNodes(nodeList) : nodeList.split(',', 1)
  return first
}
