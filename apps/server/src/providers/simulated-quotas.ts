import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod/mini'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { WorldItem } from '@flotilla/simulated-cloud/world/world'
import * as aws from './aws/account/quota'
import * as azure from './azure/account/quota'
import * as gcp from './gcp/quota'
import { readyMachines } from './maas/quota'
import { simulatedMaas } from './maas/simulated'
import * as oracle from './oracle/quota'
import type { CountedMachine, Quota, Quotas, Takes } from './quota/quota'
import { cloudProviders } from './registry'
import { machineOf } from './sizes'

/** Limits by provider and quota, in the quotas' own ids. */
const Limits = z.record(z.string(), z.record(z.string(), z.number()))
/** What an account has of anything that the file does not name. */
const DEFAULTS: Record<string, number> = { GB: 16_000, GPUs: 32, addresses: 50, networks: 50 }
const DEFAULT = 1000

type Asked = {
  dir: string
  provider: ProviderId
  region: string
  items: WorldItem[]
  machines: CountedMachine[]
  zone: string
}
/** How a cloud counts: what a machine takes, and what its quotas are called. */
type Counting = {
  takes(machine: CountedMachine): Takes
  name?(id: string): string
  unit(id: string): string
  address?: string
  network?: string
}

/** Standard_D4s_v5 is of the family standardDSv5Family. */
const azureSku = (size: string) => ({
  family: `standard${size.replace(/^Standard_/, '').replaceAll(/\d+(?=[a-z_-])|_/g, '')}family`,
  capabilities: {},
  restricted: false,
})
/** VM.Standard.E4.Flex is counted by standard-e4-core-count and its memory; BM.GPU4.8 by its GPUs. */
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
const clouds: Record<Exclude<ProviderId, 'maas'>, Counting> = {
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
      azure.takenBy(machine, new Map([[machine.instance_id.toLowerCase(), azureSku(machine.instance_id)]])),
    name: (id) => (id === 'cores' ? 'Total Regional vCPUs' : id),
    unit: (id) => (id === azure.ADDRESSES ? 'addresses' : id === azure.NETWORK ? 'networks' : 'vCPUs'),
    address: azure.ADDRESSES,
    network: azure.NETWORK,
  },
  gcp: {
    takes: (machine) => gcp.takenBy(machine, (metric) => !metric.startsWith('PREEMPTIBLE_')),
    unit: gcp.unitOf,
    address: 'STATIC_ADDRESSES',
    network: 'NETWORKS',
  },
  oracle: {
    takes: (machine) => oracle.takenBy(machine, new Map([[machine.instance_id, oracleShape(machine)]])),
    unit: oracle.unitOf,
    network: oracle.VCNS,
  },
}

/** The quotas of a simulated account: limits from `quotas.json`, and what exists in its region against them. */
export async function simulatedQuotas(asked: Asked): Promise<Quotas> {
  const { dir, provider, region, items, machines, zone } = asked
  if (provider === 'maas') return ofMaas(items, machines, zone)
  const limits = Limits.parse(
    JSON.parse(await readFile(path.join(dir, 'quotas.json'), 'utf8').catch(() => '{}')),
  )[provider]
  const counting = clouds[provider]
  const here = items.filter((item) => !item.part && (region === '' || item.region === region))
  const used: Record<string, number> = {}
  const add = (takes: Takes) => {
    if (typeof takes !== 'string')
      for (const [id, each] of Object.entries(takes)) used[id] = (used[id] ?? 0) + each
  }
  for (const machine of await countedOf(provider, here)) add(counting.takes(machine))
  const { address, network } = counting
  for (const { type } of here) {
    if (address && /^(aws_eip|azurerm_public_ip|google_compute_address)$/.test(type)) add({ [address]: 1 })
    if (network && /^(aws_vpc|azurerm_virtual_network|google_compute_network|oci_core_vcn)$/.test(type))
      add({ [network]: 1 })
  }
  const takes = machines.map(counting.takes)
  const ids = takes.flatMap((one) => (typeof one === 'string' ? [] : Object.keys(one)))
  const quota = (id: string): Quota => {
    const unit = counting.unit(id)
    const limit = limits?.[id] ?? DEFAULTS[unit] ?? DEFAULT
    return { name: counting.name?.(id) ?? id, unit, limit, used: used[id] ?? 0, link: null }
  }
  const all = [...ids, ...[address, network].filter((id) => id !== undefined)]
  return {
    quotas: Object.fromEntries(all.map((id) => [id, quota(id)])),
    machines: takes,
    ...(address && { address: { [address]: 1 } }),
    ...(network && { network: { [network]: 1 } }),
  }
}

/** The machines that run, as quotas count them. */
async function countedOf(provider: ProviderId, items: WorldItem[]): Promise<CountedMachine[]> {
  const sizes = (await cloudProviders[provider].catalogue())?.sizes ?? []
  return items
    .filter(({ kind, power }) => kind === 'machine' && power !== 'stopped')
    .map(({ attributes: has }) => {
      const id =
        [has.instance_type, has.machine_type, has.size, has.shape].find((one) => typeof one === 'string') ??
        ''
      const [cut] = [has.shape_config].flat()
      const config = typeof cut === 'object' && cut !== null ? (cut as Record<string, unknown>) : {}
      const [ocpus, mem] = [Number(config.ocpus ?? 0), Number(config.memory_in_gbs ?? 0)]
      const size = sizes.find(({ instance_id }) => instance_id === id)
      const { cores, gpus } = size ? machineOf(size, { ocpus, mem }) : { cores: 1, gpus: 0 }
      const blocks = [has.instance_market_options, has.preemptible_instance_config].flat()
      const spot = has.priority === 'Spot' || blocks.some((one) => typeof one === 'object' && one !== null)
      return {
        instance_id: id,
        ocpus,
        mem,
        spot,
        cores,
        gpus,
        gpuModel: size?.gpuModel ?? '',
        accelerator: '',
      }
    })
}

/** The small site that exists nowhere, without the machines that clusters have. */
async function ofMaas(items: WorldItem[], machines: CountedMachine[], zone: string): Promise<Quotas> {
  const taken = items.filter(({ kind }) => kind === 'machine').length
  const all = await simulatedMaas().machines()
  const now = all.map((one, index) => (index < taken ? { ...one, status: 'Deployed' } : one))
  return readyMachines(now, machines, zone)
}
