import type { InstanceSize } from '@flotilla/contract/clouds/providers'
import type { ComputeClient, models } from 'oci-core'
import { isFlexible } from './images'

/** The GB of memory per OCPU of a flexible shape, if no memory is chosen. */
export const GB_OF_OCPU = 16

export async function shapesIn(
  compute: ComputeClient,
  place: { compartmentId: string; availabilityDomain?: string },
): Promise<models.Shape[]> {
  const shapes: models.Shape[] = []
  let page: string | undefined
  do {
    const { items, opcNextPage } = await compute.listShapes({ ...place, ...(page && { page }) })
    shapes.push(...items)
    page = opcNextPage
  } while (page)
  return shapes
}

/** An OCPU has two threads, except on Ampere A1, where it has one. */
const threadsOf = (shape: string) => (/\.A1\./.test(shape) ? 1 : 2)

/** Current shapes without the duplicates of availability domains. Oracle does not report prices here. */
export async function sizes(compute: ComputeClient, compartmentId: string) {
  const found = new Map(
    (await shapesIn(compute, { compartmentId })).map((one) => [one.shape, readShape(one)]),
  )
  return {
    sizes: [...found.values()]
      .filter(({ cores }) => cores > 0)
      .toSorted((a, b) => a.instance_id.localeCompare(b.instance_id, 'en', { numeric: true })),
    prices: {},
    source: 'Oracle Cloud: ListShapes',
  }
}

function readShape(one: models.Shape): InstanceSize {
  const { shape, ocpus = 0, memoryInGBs, gpus = 0, gpuDescription, processorDescription = '' } = one
  const arch = /ampere|arm/i.test(processorDescription) ? ('arm64' as const) : ('x86_64' as const)
  const about = { name: shape, instance_id: shape, arch }
  const model = gpuDescription?.replaceAll(/[®™]|\(.*?\)/g, '').trim()
  const ofGpus = gpus > 0 && { gpus, ...(model && { gpuModel: model }) }
  if (!isFlexible(shape))
    return {
      ...about,
      cores: ocpus * threadsOf(shape),
      ...(memoryInGBs && { memory: memoryInGBs }),
      ...ofGpus,
    }
  const { ocpuOptions, memoryOptions } = one
  return {
    ...about,
    cores: threadsOf(shape),
    memory: GB_OF_OCPU,
    flexible: true,
    ...(ocpuOptions?.max && { maxOcpus: ocpuOptions.max }),
    ...(memoryOptions?.maxInGBs && { maxMemory: memoryOptions.maxInGBs }),
    ...ofGpus,
  }
}
