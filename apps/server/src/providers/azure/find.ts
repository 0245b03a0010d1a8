import type { Disk, VirtualMachine } from '@azure/arm-compute'
import * as z from 'zod/mini'
import { CLUSTER_TAG, found, sameId } from '../found'
import type { Driver, FoundResource } from '../provider'
import type { Clients } from './clients'
import { GROUPS, kinds, LISTS } from './kinds'

const Resource = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  location: z.string(),
  tags: z.optional(z.nullable(z.record(z.string(), z.string()))),
})
type Resource = z.infer<typeof Resource>

const tagIn = ({ tags }: Pick<Resource, 'tags'>) =>
  Object.entries(tags ?? {}).find(([name]) => name.toLowerCase() === CLUSTER_TAG)?.[1] ?? null

/** Collects the items of all pages. */
async function all<Item>(pages: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of pages) items.push(item)
  return items
}

export function makeFind({ compute, arm, subscription }: Clients, region: string): Driver['find'] {
  /**
   * Filtered by a value, Azure matches tags but does not return them. Unfiltered, it returns everything with its
   * tags.
   */
  const tagged = async (clusterId: string | null) => {
    const filter =
      clusterId === null ? undefined : `tagName eq '${CLUSTER_TAG}' and tagValue eq '${clusterId}'`
    const resources = await arm.list(Resource, `${subscription}/resources`, LISTS, filter)
    return resources.map((one) => ({ ...one, clusterId: clusterId ?? tagIn(one) }))
  }

  return async (clusterId) => {
    const [resources, everyGroup] = await Promise.all([
      tagged(clusterId),
      arm.list(Resource, `${subscription}/resourcegroups`, LISTS),
    ])
    // Azure sometimes returns group names in uppercase; the engine uses the original names.
    const names = new Map(everyGroup.map(({ name }) => [name.toLowerCase(), name]))
    const here = (one: Resource) => region === '' || one.location.toLowerCase() === region.toLowerCase()
    const listed = resources
      .filter((one) => one.clusterId !== null && here(one))
      .map((one) => {
        const kind = kinds.find(({ arm: type }) => sameId(type) === sameId(one.type))
        const [group = ''] = /(?<=\/resourceGroups\/)[^/]+/i.exec(one.id) ?? []
        const id = kind
          ? `${subscription}/resourceGroups/${names.get(group.toLowerCase()) ?? group}/providers/${kind.arm}/${one.name}`
          : one.id
        return found({
          id,
          type: kind?.type ?? one.type,
          kind: kind?.kind ?? 'other',
          name: one.name,
          clusterId: one.clusterId,
          region: one.location,
        })
      })
    const groups = everyGroup
      .map((one) => ({ ...one, clusterId: tagIn(one) }))
      .filter(
        (one) => here(one) && (clusterId === null ? one.clusterId !== null : one.clusterId === clusterId),
      )
      .map(({ name, location, ...one }) =>
        found({
          id: `${subscription}/resourceGroups/${name}`,
          type: GROUPS,
          kind: 'other',
          name,
          clusterId: one.clusterId,
          region: location,
        }),
      )
    const order = kinds.map(({ type }) => type)
    const sorted = listed.toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type))
    return [...(await described(sorted)), ...groups]
  }

  /** Adds sizes, and drops boot disks, which are deleted with their machines. */
  async function described(list: FoundResource[]): Promise<FoundResource[]> {
    const has = (kind: FoundResource['kind']) => list.some((one) => one.kind === kind)
    const [machines, disks] = await Promise.all([
      has('machine') ? all(compute.virtualMachines.listAll()) : [],
      has('volume') ? all(compute.disks.list()) : [],
    ])
    const machine = byId(machines)
    const disk = byId(disks)
    const started = new Set(
      list
        .filter(({ kind }) => kind === 'machine')
        .flatMap(({ id }) => machine(id)?.storageProfile?.osDisk?.managedDisk?.id ?? [])
        .map(sameId),
    )
    return list
      .filter(({ id }) => !started.has(sameId(id)))
      .map((one) => {
        const size = machine(one.id)?.hardwareProfile?.vmSize
        const { diskSizeGB, sku } = disk(one.id) ?? {}
        return {
          ...one,
          ...(size && { machine: { instance_id: size, ocpus: 0, mem: 0 } }),
          ...(diskSizeGB && { sizeGb: diskSizeGB }),
          ...(sku?.name && { diskType: sku.name }),
        }
      })
  }
}

function byId<Item extends VirtualMachine | Disk>(items: Item[]) {
  const map = new Map(items.map((item) => [sameId(item.id ?? ''), item]))
  return (id: string) => map.get(sameId(id))
}
