import type { FoundResource } from './provider'

/** The tag on everything that a cluster creates, with the cluster's id. */
export const CLUSTER_TAG = 'flotilla_cluster'
/** The region of resources that are in no region. */
export const GLOBAL = 'global'

type Facts = Pick<FoundResource, 'id' | 'type' | 'kind' | 'clusterId' | 'region'> & Partial<FoundResource>

/** A resource with our tag; drivers do not know prices. */
export const found = (facts: Facts): FoundResource => ({ name: '', sizeGb: null, perHour: null, ...facts })

/** Azure returns the same id in varying case; no other cloud has ids that differ only in case. */
export const sameId = (id: string) => id.toLowerCase()

const removalOrder: FoundResource['kind'][] = ['machine', 'address', 'volume', 'image', 'other', 'network']
/** Machines are removed before the disks and networks that they use. */
export const inRemovalOrder = <T>(things: T[], kindOf: (thing: T) => FoundResource['kind']): T[] =>
  things.toSorted((a, b) => removalOrder.indexOf(kindOf(a)) - removalOrder.indexOf(kindOf(b)))
