import type { AcmShape } from '@flotilla/contract/clouds/acm'
import type { InstanceSize, Provider } from '@flotilla/contract/clouds/providers'

export interface SizeFilter {
  text: string
  cores: number
  memory: number
  gpus: number
}
export const everySize: SizeFilter = { text: '', cores: 0, memory: 0, gpus: 0 }

export type SizeColumn = 'name' | 'cores' | 'memory' | 'gpus' | 'price'
export interface SizeSort {
  column: SizeColumn
  descending: boolean
}
export type Prices = Readonly<Record<string, number>>

/** The maximum resources of a size: a flexible shape has only as much as requested. */
const most = ({ cores, memory = 0, gpus = 0, flexible, maxOcpus = 1, maxMemory = memory }: InstanceSize) =>
  flexible ? { cores: cores * maxOcpus, memory: maxMemory, gpus } : { cores, memory, gpus }

const gpusText = ({ gpus = 0, gpuModel }: InstanceSize): string =>
  gpus === 0 ? '' : `${gpus}${gpuModel ? ` × ${gpuModel}` : ''}`

/** '4 threads, 16 GB, 1 × A100': clouds count hardware threads, two for each core of most x86 processors. */
export function sizeText(size: InstanceSize): string {
  const { cores, memory, gpus = 0, flexible, maxOcpus } = size
  const has = flexible
    ? [`up to ${maxOcpus ?? cores} OCPUs`, 'configurable cores and memory']
    : [`${cores} ${cores === 1 ? 'thread' : 'threads'}`, memory === undefined ? '' : `${memory} GB`]
  return [...has, gpus === 0 ? '' : `${gpusText(size)}${size.gpuModel ? '' : gpus === 1 ? ' GPU' : ' GPUs'}`]
    .filter(Boolean)
    .join(', ')
}

/** Sizes that have at least the requested resources and match the search text. */
export function fittingSizes(sizes: readonly InstanceSize[], filter: SizeFilter): InstanceSize[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  return sizes.filter((size) => {
    const has = most(size)
    const text = `${size.name} ${size.instance_id} ${size.gpuModel ?? ''} ${size.arch ?? ''}`.toLowerCase()
    return (
      has.cores >= filter.cores &&
      has.memory >= filter.memory &&
      has.gpus >= filter.gpus &&
      words.every((word) => text.includes(word))
    )
  })
}

/** Sizes without a price come last in either direction, because they may or may not be cheap. */
export function sortSizes(
  sizes: readonly InstanceSize[],
  prices: Prices,
  { column, descending }: SizeSort,
): InstanceSize[] {
  const price = ({ instance_id }: InstanceSize) => prices[instance_id]
  const value = (size: InstanceSize): number | string | undefined =>
    column === 'name' ? size.name : column === 'price' ? price(size) : (size[column] ?? 0)
  const compare = (a: number | string, b: number | string): number =>
    typeof a === 'string' || typeof b === 'string'
      ? String(a).localeCompare(String(b), 'en', { numeric: true })
      : a - b
  return sizes.toSorted((a, b) => {
    const [left, right] = [value(a), value(b)]
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined)
    const order = compare(left, right) * (descending ? -1 : 1)
    return order || compare(price(a) ?? Infinity, price(b) ?? Infinity)
  })
}

/** The provider with its current sizes: the live shapes of a MAAS, limited to what a field offers. */
export function withShapes(
  provider: Provider,
  shapes: readonly AcmShape[],
  offered: readonly string[] | undefined,
): Provider {
  const all = shapes.length > 0 ? [...shapes] : provider.instanceSizes
  return {
    ...provider,
    instanceSizes: offered ? all.filter(({ instance_id }) => offered.includes(instance_id)) : all,
  }
}

/** '2 of 3 free', for a MAAS shape. */
export function freeText(shapes: readonly AcmShape[], instanceId: string): string | undefined {
  const shape = shapes.find(({ instance_id }) => instance_id === instanceId)
  return shape && `${shape.ready} of ${shape.machines} free`
}
