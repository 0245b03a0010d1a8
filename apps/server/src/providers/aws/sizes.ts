import { paginateDescribeInstanceTypes, type EC2Client, type InstanceTypeInfo } from '@aws-sdk/client-ec2'
import { type Filter, paginateGetProducts, PricingClient } from '@aws-sdk/client-pricing'
import type { InstanceSize } from '@flotilla/contract/clouds/providers'
import * as z from 'zod/mini'
import type { DriverOptions } from '../provider'
import { settingsOf } from './clients'
import { DISK_TYPE } from './variables'

const MIB_OF_GIB = 1024

export async function sizes(ec2: EC2Client, options: DriverOptions) {
  const [found, prices] = await Promise.all([typesOf(ec2), pricesIn(options)])
  const source = prices ? 'AWS: DescribeInstanceTypes and price list' : 'AWS: DescribeInstanceTypes'
  return {
    sizes: found,
    prices: prices?.machines ?? {},
    ...(prices && { beside: { disks: prices.disks, fastRestore: prices.fastRestore } }),
    source,
  }
}

async function typesOf(ec2: EC2Client): Promise<InstanceSize[]> {
  const list: InstanceSize[] = []
  for await (const { InstanceTypes = [] } of paginateDescribeInstanceTypes(
    { client: ec2 },
    { MaxResults: 100 },
  ))
    list.push(...InstanceTypes.flatMap(readType))
  return list.toSorted((a, b) => a.instance_id.localeCompare(b.instance_id, 'en', { numeric: true }))
}

function readType(info: InstanceTypeInfo): InstanceSize[] {
  const { InstanceType: id, VCpuInfo, MemoryInfo, GpuInfo, ProcessorInfo, NetworkInfo } = info
  const architectures = ProcessorInfo?.SupportedArchitectures ?? []
  const arch = (['x86_64', 'arm64'] as const).find((one) => architectures.includes(one))
  // Mac instances are not useful in a cluster.
  if (!id || !VCpuInfo?.DefaultVCpus || !arch || id.startsWith('mac')) return []
  const gpus = (GpuInfo?.Gpus ?? []).reduce((sum, { Count = 0 }) => sum + Count, 0)
  const [gpu] = GpuInfo?.Gpus ?? []
  const { EfaSupported = false, EfaInfo, MaximumNetworkCards: cards = 1 } = NetworkInfo ?? {}
  const { MaximumEfaInterfaces: adapters = 1 } = EfaInfo ?? {}
  return [
    {
      name: id,
      instance_id: id,
      cores: VCpuInfo.DefaultVCpus,
      ...(MemoryInfo?.SizeInMiB && { memory: MemoryInfo.SizeInMiB / MIB_OF_GIB }),
      ...(gpus > 0 && { gpus, gpuModel: [gpu?.Manufacturer, gpu?.Name].filter(Boolean).join(' ') }),
      arch,
      // A size with more cards than adapters has none on its first card (p6-b300), where the module's machines have
      // theirs.
      ...(EfaSupported && adapters >= cards && { efa: true }),
      ...(EfaSupported && adapters >= cards && adapters > 1 && { efaInterfaces: adapters }),
    },
  ]
}

/** The price list is served in few regions, and covers all of them. */
const PRICE_LIST = 'us-east-1'
/** The attributes of a Linux machine on demand, without additional software or reservations. */
const plain: Record<string, string> = {
  operatingSystem: 'Linux',
  preInstalledSw: 'NA',
  tenancy: 'Shared',
  capacitystatus: 'Used',
  licenseModel: 'No License required',
}
const Product = z.object({
  product: z.object({ attributes: z.record(z.string(), z.string()) }),
  terms: z.object({
    OnDemand: z.optional(
      z.record(
        z.string(),
        z.object({
          priceDimensions: z.record(
            z.string(),
            z.object({ unit: z.string(), pricePerUnit: z.object({ USD: z.optional(z.string()) }) }),
          ),
        }),
      ),
    ),
  }),
})
type Priced = { attributes: Record<string, string>; unit: string; price: number }

/** The matching products of the price list; those without a price in USD are omitted. */
async function listed(client: PricingClient, wanted: Record<string, string>): Promise<Priced[]> {
  const Filters = Object.entries(wanted).map(([Field, Value]): Filter => ({
    Type: 'TERM_MATCH',
    Field,
    Value,
  }))
  const found: Priced[] = []
  for await (const { PriceList = [] } of paginateGetProducts(
    { client },
    { ServiceCode: 'AmazonEC2', Filters },
  ))
    for (const text of PriceList) {
      const { product, terms } = Product.parse(JSON.parse(String(text)))
      const [offer] = Object.values(terms.OnDemand ?? {})
      const [dimension] = Object.values(offer?.priceDimensions ?? {})
      const price = Number(dimension?.pricePerUnit.USD)
      if (dimension && price > 0) found.push({ attributes: product.attributes, unit: dimension.unit, price })
    }
  return found
}

/** Disk types that are billed by size only as we create them; the others are also billed for IOPS or requests. */
const bySizeAlone = ['gp2', 'gp3', 'st1', 'sc1']
/** Adds the price of the default disk type, which applies if none is chosen. */
const withDefault = (disks: Record<string, number>) => {
  const defaultPrice = disks[DISK_TYPE]
  return { ...disks, ...(defaultPrice !== undefined && { '': defaultPrice }) }
}

/** The prices of a region; null if the key may not read the price list, which is a separate permission. */
async function pricesIn(options: DriverOptions) {
  const client = new PricingClient(settingsOf({ ...options, region: PRICE_LIST }))
  const here = { regionCode: options.region }
  try {
    const [machines, storage, restores] = await Promise.all([
      listed(client, { ...plain, ...here }),
      listed(client, { productFamily: 'Storage', ...here }),
      listed(client, { productFamily: 'Fast Snapshot Restore', ...here }),
    ])
    const byKey = (list: Priced[], key: string) =>
      Object.fromEntries(list.map(({ attributes, price }) => [attributes[key] ?? '', price]))
    const usage = ({ attributes }: Priced) => attributes.usagetype ?? ''
    return {
      machines: byKey(
        machines.filter(({ unit, attributes }) => unit === 'Hrs' && attributes.instanceType),
        'instanceType',
      ),
      disks: withDefault(
        byKey(
          storage.filter(
            (one) =>
              one.unit === 'GB-Mo' &&
              bySizeAlone.includes(one.attributes.volumeApiName ?? '') &&
              /EBS:VolumeUsage(\.|$)/.test(usage(one)),
          ),
          'volumeApiName',
        ),
      ),
      // USD per hour, snapshot and zone.
      fastRestore: restores.find((one) => usage(one).endsWith('EBS:FastSnapshotRestore'))?.price ?? null,
    }
  } catch (error) {
    if (error instanceof Error && error.name.startsWith('AccessDenied')) return null
    throw error
  }
}
