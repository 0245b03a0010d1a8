import {
  DescribeAddressesCommand,
  type EC2Client,
  type Instance,
  paginateDescribeInstances,
  paginateDescribeVpcs,
} from '@aws-sdk/client-ec2'
import type { DriverOptions } from '../../provider'
import type { CountedMachine, Quota, Quotas } from '../../quota/quota'
import { ADDRESSES, quotaOf, VPCS } from './quota-codes'
import { readQuota } from './service-quotas'

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

/** The vCPUs of running machines, by quota. Machines on dedicated hosts do not count. */
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
