import {
  DescribeAddressesCommand,
  type EC2Client,
  type Instance,
  paginateDescribeInstances,
  paginateDescribeVpcs,
} from '@aws-sdk/client-ec2'
import type { DriverOptions } from '../../provider'
import type { CountedMachine, Quota, Quotas } from '../../quota/quota'
import { readQuota } from './service-quotas'

/**
 * EC2's vCPU quotas by the letters that a type begins with: their name and their codes on demand and spot; of high memory
 * and HPC machines there is no spot. docs.aws.amazon.com/ec2/latest/instancetypes/ec2-instance-quotas.html names the quotas;
 * a code that AWS does not know counts as none.
 */
type Family = [name: string, onDemand: string, spot: string]
const STANDARD: Family = ['Standard (A, C, D, H, I, M, R, T, Z)', 'L-1216C47A', 'L-34B43A08']
const G_AND_VT: Family = ['G and VT', 'L-DB2E81BA', 'L-3819A6DF']
const families: Record<string, Family> = {
  ...Object.fromEntries(
    ['a', 'c', 'd', 'h', 'i', 'im', 'is', 'm', 'r', 't', 'z'].map((one) => [one, STANDARD]),
  ),
  ...Object.fromEntries(['g', 'gr', 'vt'].map((one) => [one, G_AND_VT])),
  dl: ['DL', 'L-6E869C2A', 'L-85EED4F7'],
  f: ['F', 'L-74FC7D96', 'L-88CF9481'],
  hpc: ['HPC', 'L-F7808C92', ''],
  inf: ['Inf', 'L-1945791B', 'L-B5D1601B'],
  p: ['P', 'L-417A185B', 'L-7212CCBC'],
  trn: ['Trn', 'L-2C3B7624', 'L-6B0D517C'],
  u: ['High Memory', 'L-43DA4232', ''],
  x: ['X', 'L-7295265B', 'L-E3A00192'],
}
/** P5 machines have a spot quota of their own. */
const P5: Family = ['P5', '', 'L-C4BD4855']
export const ADDRESSES = 'L-0263D0A3'
export const VPCS = 'L-F678F1CE'

/** The quota that counts a machine; its code is empty if none is known. */
export function quotaOf(type: string, spot: boolean): { code: string; name: string } {
  const [letters = ''] = /^[a-z]+/.exec(type) ?? []
  const [name, onDemand, ofSpot] = (spot && type.startsWith('p5') ? P5 : families[letters]) ?? ['', '', '']
  return spot
    ? { code: ofSpot, name: `All ${name} Spot Instance Requests` }
    : { code: onDemand, name: `Running On-Demand ${name} instances` }
}

const linkOf = (region: string, service: string, code: string) =>
  `https://${region}.console.aws.amazon.com/servicequotas/home/services/${service}/quotas/${code}`

export const makeQuotas =
  (ec2: EC2Client, options: DriverOptions) =>
  async (machines: CountedMachine[]): Promise<Quotas> => {
    const { region } = options
    const wanted = machines.map(({ instance_id, spot }) => quotaOf(instance_id, spot).code)
    const quota = async (
      service: string,
      code: string,
      unit: string,
      used: number,
    ): Promise<[string, Quota][]> => {
      const found = await readQuota(options, service, code)
      return found ? [[code, { ...found, unit, used, link: linkOf(region, service, code) }]] : []
    }
    const [running, { Addresses = [] }, vpcs] = await Promise.all([
      vcpusInUse(ec2),
      ec2.send(new DescribeAddressesCommand({})),
      countVpcs(ec2),
    ])
    const found = await Promise.all([
      ...[...new Set(wanted)]
        .filter(Boolean)
        .map((code) => quota('ec2', code, 'vCPUs', running.get(code) ?? 0)),
      quota('ec2', ADDRESSES, 'addresses', Addresses.length),
      quota('vpc', VPCS, 'VPCs', vpcs),
    ])
    const quotas = Object.fromEntries(found.flat())
    const takes = (code: string, count: number, what: string) =>
      code in quotas ? { [code]: count } : `No quota is known for ${what}.`
    return {
      quotas,
      machines: machines.map(({ cores, instance_id }, index) =>
        takes(wanted[index] ?? '', cores, instance_id),
      ),
      address: takes(ADDRESSES, 1, 'addresses'),
      network: takes(VPCS, 1, 'VPCs'),
    }
  }

/** Those of running machines, by quota. Machines on dedicated hosts do not count. */
async function vcpusInUse(client: EC2Client): Promise<Map<string, number>> {
  const used = new Map<string, number>()
  const Filters = [{ Name: 'instance-state-name', Values: ['pending', 'running'] }]
  for await (const { Reservations = [] } of paginateDescribeInstances({ client }, { Filters }))
    for (const machine of Reservations.flatMap(({ Instances = [] }) => Instances)) {
      if (machine.Placement?.Tenancy === 'host') continue
      const { code } = quotaOf(machine.InstanceType ?? '', machine.InstanceLifecycle === 'spot')
      used.set(code, (used.get(code) ?? 0) + vcpusOf(machine))
    }
  return used
}
const vcpusOf = ({ CpuOptions }: Instance) => (CpuOptions?.CoreCount ?? 1) * (CpuOptions?.ThreadsPerCore ?? 1)

async function countVpcs(client: EC2Client): Promise<number> {
  let count = 0
  for await (const { Vpcs = [] } of paginateDescribeVpcs({ client }, {})) count += Vpcs.length
  return count
}
