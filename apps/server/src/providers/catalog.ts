import type { InstanceSize, Region } from '@flotilla/contract/clouds/providers'
import type { Catalog } from './provider'

/**
 * A committed catalog: one line per region and size, so that a changed price is a changed line. docs/catalogs.md
 * describes the format.
 */
export interface CatalogFile {
  source: string
  license: string
  date: string
  /** How the source was processed, and what it lacks. */
  notes: string[]
  /** `id|name|zones` */
  regions: string[]
  /** `id|cores|GiB|architecture|GPUs|GPU model|flags|USD an hour by region`, with `-` for no price */
  sizes: string[]
  /** Whether the first price of a line applies to every region. */
  onePrice?: boolean
  /** `type|USD an hour by region` */
  accelerators?: string[]
  /** `shape|USD an hour of an OCPU|USD an hour of a GB` */
  flexible?: string[]
}

export function readCatalog(file: CatalogFile): Catalog {
  const regions = file.regions.map(readRegion)
  const ids = regions.map(({ region_id }) => region_id)
  const sizes: InstanceSize[] = []
  const prices = tableOf(ids)
  for (const line of file.sizes) {
    const columns = line.split('|')
    const size = readSize(columns)
    sizes.push(size)
    const list = (columns[7] ?? '').split(' ')
    for (const [index, id] of ids.entries())
      put(prices, id, size.instance_id, list[file.onePrice ? 0 : index])
  }
  const { source, date } = file
  return {
    source,
    date,
    regions,
    sizes,
    prices,
    ...(file.accelerators && { accelerators: readAccelerators(file.accelerators, ids) }),
    ...(file.flexible && { flexible: Object.fromEntries(file.flexible.map(readFlexible)) }),
  }
}

type Table = Record<string, Record<string, number>>
const tableOf = (regions: string[]): Table => Object.fromEntries(regions.map((id) => [id, {}]))
function put(table: Table, region: string, name: string, text: string | undefined): void {
  const row = table[region]
  if (row && text !== undefined && text !== '' && text !== '-') row[name] = Number(text)
}

function readRegion(line: string): Region {
  const [region_id = '', name = '', zones = ''] = line.split('|')
  if (zones === '') return { region_id, name }
  return { region_id, name, zones: zones.split(' ').map((zone) => ({ name: zone, zone_id: zone })) }
}

function readSize(columns: string[]): InstanceSize {
  const [id = '', cores, memory, arch, gpus, gpuModel, flags = ''] = columns
  const [flag, first, second] = flags.split(' ')
  return {
    name: id,
    instance_id: id,
    cores: Number(cores),
    ...(memory && { memory: Number(memory) }),
    ...(gpus && { gpus: Number(gpus) }),
    ...(gpuModel && { gpuModel }),
    ...((arch === 'x86_64' || arch === 'arm64') && { arch }),
    ...(flag === 'efa' && { efa: true }),
    ...(flag === 'efa' && first && { efaInterfaces: Number(first) }),
    ...(flag === 'flexible' && {
      flexible: true,
      maxOcpus: Number(first),
      maxMemory: Number(second),
    }),
  }
}

function readAccelerators(lines: string[], regions: string[]): Table {
  const table = tableOf(regions)
  for (const line of lines) {
    const [type = '', list = ''] = line.split('|')
    for (const [index, price] of list.split(' ').entries()) put(table, regions[index] ?? '', type, price)
  }
  return table
}

function readFlexible(line: string): [string, { ocpu: number; gb: number }] {
  const [shape = '', ocpu, gb] = line.split('|')
  return [shape, { ocpu: Number(ocpu), gb: Number(gb) }]
}
