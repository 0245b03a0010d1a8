import type { CloudData } from '@flotilla/contract/clusters/cloud'
import { Resize } from '@flotilla/contract/clusters/lifecycle'
import { issueText } from '../../../forms/issue-text'
import { errorsByPath } from '../../../forms/zod-resolver'

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

/** Only the changed values; null if nothing changes. */
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

/** A row's errors by field name. */
export type SizeErrors = Partial<Record<keyof Sized, string>>
type Found = ReadonlyMap<string, string>

/** The contract's errors by path. */
export function problemsIn(size: Resize): Found {
  const parsed = Resize.safeParse(size, { error: issueText })
  if (parsed.success) return new Map()
  // A message with both limits is more helpful than one with only the exceeded limit.
  return new Map(
    [...errorsByPath(parsed.error.issues)].map(([path, text]) => [
      path,
      path.endsWith('.count') ? 'Enter a whole number from 0 to 1000' : text,
    ]),
  )
}

/** A row's errors. The server's paths index all groups of the cluster, this page's paths only the changed ones. */
export function sizeErrors(found: Found, size: Resize | null, row: 'server' | number): SizeErrors {
  const at = size?.groups?.findIndex(({ group }) => group === row) ?? -1
  const starts =
    row === 'server'
      ? ['server.', 'data.server.']
      : [...(at < 0 ? [] : [`groups.${at}.`]), `data.node.group.${row}.`]
  return Object.fromEntries(
    keys.flatMap((key) => {
      const text = starts.map((start) => found.get(start + key)).find(Boolean)
      return text === undefined ? [] : [[key, text]]
    }),
  )
}
/** Errors that belong to no field. */
export const unmatchedErrors = (found: Found, rows: readonly SizeErrors[]): string[] => {
  const shown = new Set(rows.flatMap((row) => Object.values(row)))
  return [...found.values()].filter((text) => !shown.has(text))
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
