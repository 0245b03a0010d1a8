import type { InstanceSize } from '@flotilla/contract/providers'

/** What is chosen of a flexible shape; 0 leaves it to us. */
interface Cut {
  ocpus: number
  mem: number
}

/** The OCPUs and GB that a flexible shape gets. */
export function cutOf({ memory = 0, maxMemory = Infinity }: InstanceSize, { ocpus, mem }: Cut): Cut {
  const taken = ocpus || 1
  return { ocpus: taken, mem: mem || Math.min(memory * taken, maxMemory) }
}

/** What a machine of this size really has. `accelerators` are those attached to it beside its own GPUs. */
export function machineOf(
  size: InstanceSize,
  cut: Cut = { ocpus: 0, mem: 0 },
  accelerators = 0,
): { cores: number; memory: number | undefined; gpus: number } {
  const gpus = (size.gpus ?? 0) + accelerators
  if (!size.flexible) return { cores: size.cores, memory: size.memory, gpus }
  const { ocpus, mem } = cutOf(size, cut)
  return { cores: size.cores * ocpus, memory: mem, gpus }
}
