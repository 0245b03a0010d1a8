import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { CloudData, CloudInfo, Machine, type NodeGroup } from '@flotilla/contract/clusters/cloud'
import type { WantedMachine } from '../../../providers/provider'
import type { FoundCluster } from '../store'

/** What of a cluster's row says what it is to be in the cloud. */
export type CloudColumns = Pick<
  FoundCluster,
  'data' | 'info' | 'stack_id' | 'up_nodes' | 'deployed' | 'plan' | 'sealed_activation_key'
>

/** What exists in the cloud. */
export const Deployed = z.object({
  /** It is the simulated cloud's, whatever cloud this server uses now. */
  simulated: z.boolean(),
  machines: z.array(z.extend(Machine, { id: z.string() })),
  disks: z.record(
    z.string(),
    z.object({
      id: z.string(),
      size: z.number(),
      /** Where the head node may find it. */
      hints: z._default(z.array(z.string()), []),
    }),
  ),
  /** Those of the cluster's packages that its machines were told of. */
  packages: z._default(z.array(z.string()), []),
  /** What it was made from: another one means that the cluster was edited since. */
  madeFrom: z.string(),
})
export type Deployed = z.infer<typeof Deployed>

const UpNodes = z.array(z.string())

export const dataOf = (row: CloudColumns): CloudData => CloudData.parse(row.data)
export const infoOf = (row: CloudColumns): z.output<typeof CloudInfo> => CloudInfo.parse(row.info)
export const deployedOf = (row: CloudColumns): Deployed | null => z.nullable(Deployed).parse(row.deployed)
/** What exists, as long as machines are among it: of a destroy that failed only disks may be left. */
export const machinesOf = (row: CloudColumns): Deployed | null => {
  const deployed = deployedOf(row)
  return deployed && deployed.machines.length > 0 ? deployed : null
}
export const upNodesOf = (row: CloudColumns): string[] => UpNodes.parse(row.up_nodes)

/** A mark of everything that an edit can change; which nodes are up, and when they are, is no part of it. */
export const madeFrom = (row: CloudColumns): string => {
  const { bursting: _when, ...info } = infoOf(row)
  const key = row.sealed_activation_key === null ? [] : [row.sealed_activation_key]
  return createHash('sha256')
    .update(JSON.stringify([dataOf(row), info, row.stack_id, ...key]))
    .digest('base64url')
}

/** Every node that the groups may have, in order: those that share a prefix are numbered on. */
export function everyNode(row: CloudColumns): WantedMachine[] {
  const last = new Map<string, number>()
  const { node_prefix } = infoOf(row)
  return dataOf(row).node.group.flatMap((group: NodeGroup, index) =>
    Array.from({ length: group.count }, (): WantedMachine => {
      const prefix = group.group_node_prefix || node_prefix || 'node'
      const number = (last.get(prefix) ?? 0) + 1
      last.set(prefix, number)
      const { instance_id, ocpus, mem, efa, gpu_partition_mode } = group
      return { name: `${prefix}${number}`, group: index, instance_id, ocpus, mem, efa, gpu_partition_mode }
    }),
  )
}

/** Those of them that are to be up. A name that no group has any more is not. */
export const wantedNodes = (row: CloudColumns): WantedMachine[] => {
  const up = new Set(upNodesOf(row))
  return everyNode(row).filter(({ name }) => up.has(name))
}

/** Which nodes come up with the cluster itself. */
export function nodesAtDeploy(row: CloudColumns): string[] {
  const { mode, burstOnDeploy } = infoOf(row).bursting
  return mode === 'always' || mode === 'off' || burstOnDeploy ? everyNode(row).map(({ name }) => name) : []
}
