import * as z from 'zod/mini'
import { CLUSTER_TAG, found, GLOBAL } from '../found'
import type { Driver, FoundResource } from '../provider'
import type { Gcp } from './client'

const Thing = z.object({
  name: z.string(),
  selfLink: z.string(),
  description: z.optional(z.string()),
  labels: z.optional(z.record(z.string(), z.string())),
  machineType: z.optional(z.string()),
  /** The size of a disk: a number as text. */
  sizeGb: z.optional(z.string()),
  type: z.optional(z.string()),
  disks: z.optional(
    z.array(z.object({ source: z.optional(z.string()), autoDelete: z.optional(z.boolean()) })),
  ),
})
type Thing = z.infer<typeof Thing>

const nextPageToken = z.optional(z.string())
const Items = z.object({ items: z.optional(z.array(Thing)), nextPageToken })
/** By zone or region; each has its resources under their own name, or a warning if there are none. */
const Aggregated = z.object({
  items: z.optional(z.record(z.string(), z.record(z.string(), z.unknown()))),
  nextPageToken,
})

interface Kind {
  type: string
  name: string
  kind: FoundResource['kind']
  /** Whether the resource has labels; otherwise its description contains the cluster. */
  labels: boolean
}

/** The resource types that the module creates; resources come before others that they depend on. */
const everywhere: Kind[] = [
  { type: 'google_compute_instance', name: 'instances', kind: 'machine', labels: true },
  {
    type: 'google_compute_resource_policy',
    name: 'resourcePolicies',
    kind: 'other',
    labels: false,
  },
  { type: 'google_compute_disk', name: 'disks', kind: 'volume', labels: true },
  { type: 'google_compute_address', name: 'addresses', kind: 'address', labels: true },
  { type: 'google_compute_router', name: 'routers', kind: 'network', labels: false },
  { type: 'google_compute_subnetwork', name: 'subnetworks', kind: 'network', labels: false },
]
const global: Kind[] = [
  { type: 'google_compute_firewall', name: 'firewalls', kind: 'network', labels: false },
  { type: 'google_compute_network', name: 'networks', kind: 'network', labels: false },
]

/** The engine's format of ids: projects/p/zones/z/instances/n. */
const idOf = ({ selfLink }: Thing) => selfLink.replace(/^.*\/compute\/v1\//, '')
const lastOf = (link: string | undefined) => link?.split('/').at(-1) ?? ''
function regionOf(id: string): string {
  const [, where, name = ''] = /\/(zones|regions)\/([^/]+)\//.exec(id) ?? []
  return where === undefined ? GLOBAL : where === 'zones' ? name.replace(/-[a-z]$/, '') : name
}
const clusterOf = ({ labels, description }: Thing): string | null =>
  labels?.[CLUSTER_TAG] ?? new RegExp(`^${CLUSTER_TAG}=(\\S+)$`).exec(description ?? '')?.[1] ?? null

export function makeFind(gcp: Gcp, region: string): Driver['find'] {
  const aggregated = async ({ name, labels }: Kind, clusterId: string | null): Promise<Thing[]> => {
    const filter = labels ? `labels.${CLUSTER_TAG}${clusterId === null ? ':*' : `=${clusterId}`}` : undefined
    const pages = await gcp.list(Aggregated, `${gcp.project}/aggregated/${name}`, filter)
    return pages.flatMap(({ items = {} }) =>
      Object.values(items).flatMap((scope) => z.array(Thing).parse(scope[name] ?? [])),
    )
  }
  const everyone = async ({ name }: Kind): Promise<Thing[]> =>
    (await gcp.list(Items, `${gcp.project}/global/${name}`)).flatMap(({ items = [] }) => items)

  return async (clusterId) => {
    const listed = await Promise.all([
      ...everywhere.map(async (kind) => ({ kind, things: await aggregated(kind, clusterId) })),
      ...global.map(async (kind) => ({ kind, things: await everyone(kind) })),
    ])
    const all = listed.flatMap(({ kind, things }) =>
      things
        .map((thing) => ({ kind, thing, id: idOf(thing), clusterId: clusterOf(thing) }))
        .filter((one) => (clusterId === null ? one.clusterId !== null : one.clusterId === clusterId))
        .filter(({ id }) => region === '' || [region, GLOBAL].includes(regionOf(id))),
    )
    const goes = new Set(
      all.flatMap(({ thing }) =>
        (thing.disks ?? []).flatMap(({ source, autoDelete }) =>
          autoDelete && source ? [idOf({ ...thing, selfLink: source })] : [],
        ),
      ),
    )
    return all
      .filter(({ id }) => !goes.has(id))
      .map(({ kind: { type, kind }, thing, id, clusterId: cluster }) =>
        found({
          id,
          type,
          kind,
          name: thing.name,
          clusterId: cluster,
          region: regionOf(id),
          sizeGb: thing.sizeGb === undefined ? null : Number(thing.sizeGb),
          ...(kind === 'machine' && {
            machine: { instance_id: lastOf(thing.machineType), ocpus: 0, mem: 0 },
          }),
          ...(kind === 'volume' && { diskType: lastOf(thing.type) }),
        }),
      )
  }
}
