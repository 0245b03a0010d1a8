import { expandNodes } from '../../schedulers/node-list'
import type { UsageRecord } from '../../schedulers/scheduler'
import type { Costs } from '../clusters/open'
import type { JobSeen } from './store'

/** A job with what its price depends on: the size of its first node. */
export function asSeen(record: UsageRecord, { sizeOf }: Costs, { recorded }: { recorded: boolean }): JobSeen {
  return { ...record, recorded, size: sizeOf.size === 0 ? '' : (sizeOf.get(firstNode(record)) ?? '') }
}

function firstNode({ nodeList }: UsageRecord): string {
  const [first = ''] = nodeList.includes('[') ? expandNodes(nodeList) : nodeList.split(',', 1)
  return first
}
