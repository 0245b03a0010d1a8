import { valueAt } from '@flotilla/contract/clouds/field-limits'
import type { Field, InstanceSize } from '@flotilla/contract/clouds/providers'
import type { Catalog } from './provider'

/** The chosen OCPUs and memory of a flexible shape; 0 means the default. */
interface Cut {
  ocpus: number
  mem: number
}

/** The OCPUs and GB of memory of a flexible shape. */
export function cutOf({ memory = 0, maxMemory = Infinity }: InstanceSize, { ocpus, mem }: Cut): Cut {
  const taken = ocpus || 1
  return { ocpus: taken, mem: mem || Math.min(memory * taken, maxMemory) }
}

/** The actual hardware of a machine of this size. `accelerators` are attached in addition to its own GPUs. */
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

/** Up to three similar alternatives to a size: with its GPUs and about its cores and memory. */
export function similarSizes(catalog: Pick<Catalog, 'sizes'> | null, size: string): string[] {
  const sizes = catalog?.sizes ?? []
  const wanted = sizes.find(({ instance_id }) => instance_id === size)
  if (!wanted) return []
  const { arch, gpus = 0, efa = false } = wanted
  const apart = (a = 1, b = 1) => Math.abs(Math.log(a / b))
  const distance = ({ cores, memory }: InstanceSize) =>
    apart(cores, wanted.cores) + apart(memory, wanted.memory)
  return sizes
    .filter((one) => one !== wanted && one.arch === arch && (one.gpus ?? 0) === gpus && !one.flexible)
    .filter((one) => !efa || one.efa === true)
    .toSorted((a, b) => distance(a) - distance(b))
    .slice(0, 3)
    .map(({ instance_id }) => instance_id)
}

/**
 * Sizes that are not in the catalog, by field; a provider without a catalog accepts any. Sizes that `before` had are
 * accepted, because catalogs change, and an unrelated edit must not be rejected for it.
 */
export function unknownSizes(
  fields: readonly Pick<Field, 'path' | 'kind'>[],
  catalog: Pick<Catalog, 'regions' | 'sizes'> | null,
  { entity, before, prefix = '' }: { entity: unknown; before?: unknown; prefix?: string },
): [string, string][] {
  // Machines of the user's own, which are in no region, come and go.
  if (!catalog || catalog.sizes.length === 0 || catalog.regions.length === 0) return []
  const known = new Set(catalog.sizes.map(({ instance_id }) => instance_id))
  return fields
    .filter(({ kind }) => kind === 'size')
    .flatMap(({ path }): [string, string][] => {
      const at = prefix + path
      const value = valueAt(entity, at)
      if (typeof value !== 'string' || value === '' || known.has(value) || value === valueAt(before, at))
        return []
      return [[at, `No size ${value}. An admin can sync the sizes or add it to assets/providers.json.`]]
    })
}
