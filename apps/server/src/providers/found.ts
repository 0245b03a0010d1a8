import type { FoundResource } from './provider'

/** The tag that is on everything we make, with the cluster's id. */
export const CLUSTER_TAG = 'flotilla_cluster'
/** For what is in no region. */
export const GLOBAL = 'global'

type Facts = Pick<FoundResource, 'id' | 'type' | 'kind' | 'clusterId' | 'region'> & Partial<FoundResource>

/** Something of ours; drivers know no prices. */
export const found = (facts: Facts): FoundResource => ({ name: '', sizeGb: null, perHour: null, ...facts })

/** Azure writes the same id now in small letters and now in large ones; no other cloud's ids differ only by that. */
export const sameId = (id: string) => id.toLowerCase()

const removalOrder: FoundResource['kind'][] = ['machine', 'address', 'volume', 'image', 'other', 'network']
/** Machines go before the disks and networks that they hold on to. */
export const inRemovalOrder = <T>(things: T[], kindOf: (thing: T) => FoundResource['kind']): T[] =>
  things.toSorted((a, b) => removalOrder.indexOf(kindOf(a)) - removalOrder.indexOf(kindOf(b)))
