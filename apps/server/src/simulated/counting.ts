import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { WorldItem } from '@flotilla/simulated-cloud/world/world'
import * as aws from '../providers/aws/account/quota-codes'
import * as azure from '../providers/azure/account/quota'
import * as gcp from '../providers/gcp/quota'
import * as oracle from '../providers/oracle/account/quota'
import type { CountedMachine, Takes } from '../providers/quota/quota'
import { cloudProviders } from '../providers/registry'
import { machineOf } from '../providers/sizes'

/** Limits by provider and the quota's own id. */
const Limits = z.record(z.string(), z.record(z.string(), z.number()))
/** The limits of an account for quotas that are not in the file. */
const DEFAULTS: Record<string, number> = { GB: 16_000, GPUs: 32, addresses: 50, networks: 50 }
const DEFAULT = 1000

/** How a cloud counts: what a machine uses, and what its quotas are called. */
export type Counting = {
  takes(machine: CountedMachine): Takes
  name?(id: string): string
  unit(id: string): string
  address?: string
  network?: string
}
export type CountingCloud = Exclude<ProviderId, 'maas'>

/** Standard_D4s_v5 belongs to the family standardDSv5Family. */
const azureSku = (size: string) => ({
  family: `standard${size.replace(/^Standard_/, '').replaceAll(/\d+(?=[a-z_-])|_/g, '')}family`,
  capabilities: {},
  restricted: false,
})
/** VM.Standard.E4.Flex counts toward standard-e4-core-count and the memory quota; BM.GPU4.8 counts by its GPUs. */
const oracleShape = ({ instance_id, cores, gpus }: CountedMachine) => {
  const series = instance_id.split('.').slice(1, -1).join('-').toLowerCase()
  const quotaNames = series.startsWith('gpu')
    ? [`${series}-count`]
    : [`${series}-core-count`, `${series}-memory-count`]
  return { shape: instance_id, ocpus: cores / 2, memoryInGBs: 0, gpus, quotaNames }
}

const awsNames = new Map([
  [aws.ADDRESSES, 'EC2-VPC Elastic IPs'],
  [aws.VPCS, 'VPCs per Region'],
])
export const counting: Record<CountingCloud, Counting> = {
  aws: {
    takes: ({ instance_id, spot, cores }) => {
      const { code, name } = aws.quotaOf(instance_id, spot)
      awsNames.set(code, name)
      return code ? { [code]: cores } : `No quota is known for ${instance_id}.`
    },
    name: (id) => awsNames.get(id) ?? id,
    unit: (id) => (id === aws.ADDRESSES ? 'addresses' : id === aws.VPCS ? 'VPCs' : 'vCPUs'),
    address: aws.ADDRESSES,
    network: aws.VPCS,
  },
  azure: {
    takes: (machine) =>
      azure.quotaUseOf(
        machine,
        new Map([[machine.instance_id.toLowerCase(), azureSku(machine.instance_id)]]),
      ),
    name: (id) => (id === 'cores' ? 'Total Regional vCPUs' : id),
    unit: (id) => (id === azure.ADDRESSES ? 'addresses' : id === azure.NETWORK ? 'networks' : 'vCPUs'),
    address: azure.ADDRESSES,
    network: azure.NETWORK,
  },
  gcp: {
    takes: (machine) => gcp.quotaUseOf(machine, (metric) => !metric.startsWith('PREEMPTIBLE_')),
    unit: gcp.unitOf,
    address: 'STATIC_ADDRESSES',
    network: 'NETWORKS',
  },
  oracle: {
    takes: (machine) => oracle.quotaUseOf(machine, new Map([[machine.instance_id, oracleShape(machine)]])),
    unit: oracle.unitOf,
    network: oracle.VCNS,
  },
}

/** The limits that `quotas.json` sets for a provider. */
export const limitsOf = async (dir: string, provider: ProviderId): Promise<Record<string, number>> =>
  Limits.parse(JSON.parse(await readFile(path.join(dir, 'quotas.json'), 'utf8').catch(() => '{}')))[
    provider
  ] ?? {}

export const limitOf = (limits: Record<string, number>, id: string, unit: string): number =>
  limits[id] ?? DEFAULTS[unit] ?? DEFAULT

type Taken = Record<string, number>
/** Cached, because the same resources are counted again for every one that is created. */
const counted = new WeakMap<WorldItem, Promise<Taken>>()

/** What an existing or requested resource uses of the quotas. */
export function takenBy(provider: CountingCloud, item: WorldItem): Promise<Taken> {
  const known = counted.get(item) ?? count(provider, item)
  counted.set(item, known)
  return known
}

async function count(provider: CountingCloud, item: WorldItem): Promise<Taken> {
  const { takes, address, network } = counting[provider]
  if (item.part) return {}
  if (item.kind === 'machine') {
    const taken = item.power === 'stopped' ? {} : takes(await countedAs(provider, item))
    return typeof taken === 'string' ? {} : taken
  }
  if (address && /^(aws_eip|azurerm_public_ip|google_compute_address)$/.test(item.type))
    return { [address]: 1 }
  if (network && /^(aws_vpc|azurerm_virtual_network|google_compute_network|oci_core_vcn)$/.test(item.type))
    return { [network]: 1 }
  return {}
}

export async function usedBy(provider: CountingCloud, items: WorldItem[]): Promise<Taken> {
  const used: Taken = {}
  for (const taken of await Promise.all(items.map((item) => takenBy(provider, item))))
    for (const [id, each] of Object.entries(taken)) used[id] = (used[id] ?? 0) + each
  return used
}

const firstBlock = (value: unknown): Record<string, unknown> | undefined => {
  const [block] = [value].flat()
  return typeof block === 'object' && block !== null ? (block as Record<string, unknown>) : undefined
}

/** The machine in the form that quotas count. */
async function countedAs(provider: ProviderId, { attributes: has }: WorldItem): Promise<CountedMachine> {
  const sizes = (await cloudProviders[provider].catalog())?.sizes ?? []
  const id =
    [has.instance_type, has.machine_type, has.size, has.shape].find((one) => typeof one === 'string') ?? ''
  const { ocpus: requested, memory_in_gbs } = firstBlock(has.shape_config) ?? {}
  const [ocpus, mem] = [Number(requested ?? 0), Number(memory_in_gbs ?? 0)]
  const attached = firstBlock(has.guest_accelerator)
  const size = sizes.find(({ instance_id }) => instance_id === id)
  const { cores, gpus } = size
    ? machineOf(size, { ocpus, mem }, Number(attached?.count ?? 0))
    : { cores: 1, gpus: 0 }
  const spot =
    has.priority === 'Spot' ||
    [has.instance_market_options, has.preemptible_instance_config].some((one) => firstBlock(one))
  return {
    instance_id: id,
    ocpus,
    mem,
    spot,
    cores,
    gpus,
    gpuModel: size?.gpuModel ?? '',
    accelerator: typeof attached?.type === 'string' ? attached.type : '',
  }
}
