import { GPU_PARTS } from '@flotilla/contract/limits'
import type { PossibleNode } from './input'

const parts = ({ gpuPartitionMode }: Pick<PossibleNode, 'gpuPartitionMode'>) => GPU_PARTS[gpuPartitionMode]

/** How many GPUs of a node a resource manager counts: whole ones, or their partitions. */
export const gpuCount = (node: Pick<PossibleNode, 'gpus' | 'gpuPartitionMode'>): number =>
  node.gpus * (parts(node) ?? 1)

/** Slurm's name of the GPU type: a100, 1g.5gb; empty if unknown. */
export function gpuType(node: PossibleNode): string {
  if (parts(node) !== undefined) return node.gpuPartitionMode.slice('all-'.length)
  return node.gpuModel
    .toLowerCase()
    .replace(/^(nvidia|amd)\s+/, '')
    .replaceAll(/[^a-z0-9.]+/g, '_')
    .replaceAll(/^_|_$/g, '')
}

export const gpuMaker = ({ gpuModel }: PossibleNode): 'amd' | 'nvidia' =>
  /\b(amd|radeon)\b/i.test(gpuModel) ? 'amd' : 'nvidia'

/** Whether the GPU is older than Turing: current drivers no longer support it. */
export const isOldGpu = ({ gpuModel }: PossibleNode): boolean =>
  /\b(V100|P100|P40|P4|M60|K80)\b/i.test(gpuModel)
