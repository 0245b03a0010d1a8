import { expect, it } from 'vitest'
import { describeChanges, existing } from './plan-text'

const added = (type: string, name: string, key: string | null) => ({
  address: `${type}.${name}`,
  type,
  name,
  key,
  action: 'create' as const,
  before: null,
  after: {},
  unknown: [],
  replacedBecause: [],
})

it('uses readable names for the parts of a cluster, machines first', () => {
  const plan = describeChanges([
    added('aws_nat_gateway', 'network', 'made'),
    added('aws_placement_group', 'efa', 'node-1'),
    added('aws_launch_template', 'efa', '4-adapters'),
    added('google_compute_resource_policy', 'compact', 'node-1'),
    added('oci_core_compute_cluster', 'rdma', 'node-1'),
    added('azurerm_availability_set', 'infiniband', 'standard_hc44rs'),
    added('aws_subnet', 'private', 'made'),
    added('aws_vpc_security_group_ingress_rule', 'ssh', 'made'),
    added('aws_security_group', 'head', 'made'),
    added('aws_eip', 'nat', 'made'),
    added('aws_ebs_volume', 'disk', 'data'),
    added('aws_instance', 'node', 'node1'),
    added('aws_instance', 'head', null),
  ])
  expect(plan.map(({ what }) => what)).toEqual([
    'node node1',
    'head node',
    'disk data',
    'public address of the NAT gateway',
    'private subnet',
    'firewall rule SSH',
    'firewall of the head node',
    'NAT gateway',
    'placement group node-1',
    'launch template 4-adapters',
    'placement policy node-1',
    'RDMA network node-1',
    'availability set standard_hc44rs',
  ])
})

it('identifies an attached existing disk by its id', () => {
  const attachments = [
    ['aws_volume_attachment', { volume_id: 'vol-1' }],
    ['azurerm_virtual_machine_data_disk_attachment', { managed_disk_id: '/subscriptions/s/disks/d' }],
    ['google_compute_attached_disk', { disk: 'projects/p/zones/z/disks/d' }],
    ['oci_core_volume_attachment', { volume_id: 'ocid1.volume.oc1..d' }],
    // A disk that is created now has no id yet.
    ['aws_volume_attachment', {}],
  ] as const
  const plan = describeChanges(attachments.map(([type, after]) => ({ ...added(type, 'disk', 'old'), after })))
  expect(new Set(plan.map(({ what }) => what))).toEqual(new Set(['attachment old']))
  expect(plan.map(({ detail }) => detail)).toEqual([
    'vol-1',
    '/subscriptions/s/disks/d',
    'projects/p/zones/z/disks/d',
    'ocid1.volume.oc1..d',
    '',
  ])
})

it('prices existing machines, whatever their cloud calls the size', () => {
  const machine = (type: string, values: object) => ({
    address: `${type}.head`,
    type,
    name: 'head',
    key: null,
    mode: 'managed' as const,
    values: { id: 'i-1', ...values },
  })
  const sizes: unknown[] = []
  const priced = existing(
    [
      machine('aws_instance', { instance_type: 't3.large' }),
      machine('azurerm_linux_virtual_machine', { size: 'Standard_D4s_v5' }),
      machine('google_compute_instance', { machine_type: 'n1-standard-8' }),
      machine('oci_core_instance', {
        shape: 'VM.Standard.E4.Flex',
        shape_config: [{ ocpus: 2, memory_in_gbs: 32 }],
      }),
      machine('aws_vpc', {}),
    ],
    (size) => {
      sizes.push(size)
      return 0.5
    },
  )
  expect(sizes).toEqual([
    { instance_id: 't3.large', ocpus: 0, mem: 0 },
    { instance_id: 'Standard_D4s_v5', ocpus: 0, mem: 0 },
    { instance_id: 'n1-standard-8', ocpus: 0, mem: 0 },
    { instance_id: 'VM.Standard.E4.Flex', ocpus: 2, mem: 32 },
  ])
  expect(priced.map(({ perHour }) => perHour)).toEqual([0.5, 0.5, 0.5, 0.5, null])
})
