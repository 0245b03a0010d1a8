import type { CloudData } from '@flotilla/contract/clusters-cloud'
import type { Resize } from '@flotilla/contract/clusters-lifecycle'

export interface Sized {
  instance_id: string
  ocpus: number
  mem: number
  count: number
}
export interface Sizes {
  server: Sized
  groups: readonly Sized[]
}

export const sizesOf = ({ server, node }: CloudData): Sizes => ({
  server: { instance_id: server.instance_id, ocpus: server.ocpus, mem: server.mem, count: 1 },
  groups: node.group.map(({ instance_id, ocpus, mem, count }) => ({ instance_id, ocpus, mem, count })),
})

const keys = ['instance_id', 'ocpus', 'mem', 'count'] as const
const changed = (before: Sized, after: Sized): Partial<Sized> =>
  Object.fromEntries(keys.filter((key) => before[key] !== after[key]).map((key) => [key, after[key]]))

/** Only what is to be another one; null when nothing is. */
export function resizeOf(data: CloudData, sizes: Sizes): Resize | null {
  const before = sizesOf(data)
  const server = changed(before.server, sizes.server)
  const groups = sizes.groups.flatMap((group, at) => {
    const was = before.groups[at]
    const change = was ? changed(was, group) : {}
    return Object.keys(change).length > 0 ? [{ group: at, ...change }] : []
  })
  if (Object.keys(server).length === 0 && groups.length === 0) return null
  return { ...(Object.keys(server).length > 0 && { server }), ...(groups.length > 0 && { groups }) }
}

/** The cluster's data with these sizes. */
export const withSizes = (data: CloudData, { server, groups }: Sizes): CloudData => {
  const { count: _one, ...head } = server
  return {
    ...data,
    server: { ...data.server, ...head },
    node: { ...data.node, group: data.node.group.map((group, at) => ({ ...group, ...groups[at] })) },
  }
}
