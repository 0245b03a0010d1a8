import { expect, it } from 'vitest'
import { describeChanges } from './plan-text'

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
  ])
})
