import { attachedTo } from '../../../../providers/accelerators'
import { gpuCount } from '../../../../cloud-init/gpus'
import * as z from 'zod/mini'
import type { WantedMachine } from '../../../../providers/provider'
import type { CloudCluster, Deployed } from '../../stored-cluster'
import { capacityOf, headName } from '../workspace/deployment'
import { headNetworkOf, networkOf } from '../workspace/network'
import { machinesOf, madeFrom, wantedNodes } from '../../wanted-nodes'
import type { OpenedCluster } from '../workspace/deps'

const Made = z.object({
  id: z.string(),
  private_ip: z.string(),
  public_ip: z.optional(z.string()),
  cores: z.optional(z.number()),
  memory: z.optional(z.number()),
})
type Made = z.infer<typeof Made>
const Outputs = z.object({
  head: z.extend(Made, { networks: z._default(z.array(z.string()), []) }),
  nodes: z.record(z.string(), Made),
  disks: z.record(
    z.string(),
    z.object({ id: z.string(), size: z.number(), hints: z._default(z.array(z.string()), []) }),
  ),
})

/** What exists now according to the engine; null if it created no head node. `complete`: nothing planned is missing. */
export async function existingMachines(
  cluster: CloudCluster,
  { workspace, catalog }: OpenedCluster,
  { complete, simulated }: { complete: boolean; simulated: boolean },
): Promise<Deployed | null> {
  const outputs = Outputs.safeParse(await workspace.outputs())
  if (!outputs.success) return null
  const { head, nodes, disks } = outputs.data
  const { server, node, packages } = cluster.data
  const machine = (wanted: WantedMachine, made: Made, role: 'head' | 'node', accelerators: number) => {
    const { cores, gpus } = capacityOf(catalog, wanted, accelerators)
    return {
      id: made.id,
      name: wanted.name,
      role,
      group: role === 'head' ? null : wanted.group,
      instance_id: wanted.instance_id,
      cores: made.cores ?? cores,
      ...(made.memory !== undefined && { reportedMemory: made.memory }),
      network: role === 'head' ? headNetworkOf(cluster) : networkOf(cluster, catalog, wanted),
      gpus: gpuCount({ gpus, gpuPartitionMode: wanted.gpu_partition_mode }),
      privateIp: made.private_ip || null,
      publicIp: made.public_ip || null,
    }
  }
  const wantedHead = {
    ...server,
    name: headName(cluster),
    group: 0,
    efa: false,
    compact: false,
    tier1: false,
    rdma: false,
    spot: false,
    gpu_partition_mode: '',
  }
  return {
    simulated,
    machines: [
      machine(wantedHead, head, 'head', attachedTo(server, server.instance_id)),
      ...wantedNodes(cluster).flatMap((wanted) => {
        const made = nodes[wanted.name]
        return made ? [machine(wanted, made, 'node', attachedTo(node, wanted.instance_id))] : []
      }),
    ],
    disks,
    networks: head.networks,
    // Machines get these when they start.
    packages: machinesOf(cluster)?.packages ?? packages,
    madeFrom: complete ? madeFrom(cluster) : (cluster.deployed?.madeFrom ?? ''),
  }
}
