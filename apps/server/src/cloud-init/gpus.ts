import { GPU_PARTS } from '@flotilla/contract/limits'
import type { PossibleNode } from './input'

const parts = ({ gpuPartitionMode }: Pick<PossibleNode, 'gpuPartitionMode'>) => GPU_PARTS[gpuPartitionMode]

/** What a resource manager counts as GPUs of a node: whole ones, or their parts. */
export const gpuCount = (node: Pick<PossibleNode, 'gpus' | 'gpuPartitionMode'>): number =>
  node.gpus * (parts(node) ?? 1)

/** Slurm's word for the kind: a100, 1g.5gb; empty when it is not known. */
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

/** Older than Turing: current drivers no longer support it. */
export const isOldGpu = ({ gpuModel }: PossibleNode): boolean =>
  /\b(V100|P100|P40|P4|M60|K80)\b/i.test(gpuModel)
