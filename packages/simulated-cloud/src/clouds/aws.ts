import type { Value, Values } from '../language/values'
import {
  blocksAt,
  cut,
  objectAt,
  text,
  textAt,
  valueAt,
  type Cloud,
  type ResourceContext,
  type Kind,
} from './kind'
import { EXAMPLE, exceededText } from './quotas'

const byPrefix =
  (prefix: string) =>
  ({ seed }: ResourceContext) =>
    text(prefix, '-0', cut(seed.token, 16))
const named =
  (attribute: string) =>
  ({ config }: ResourceContext) =>
    valueAt(config, attribute)

const common = ({ config, seed, region, account }: ResourceContext, what: string): Values => ({
  arn: text('arn:aws:ec2:', region, ':', account, `:${what}/`, seed.id),
  tags_all: objectAt(config, 'tags'),
  region,
})

const thing = (prefix: string, what: string, more: Partial<Kind> = {}): Kind => ({
  kind: 'other',
  ms: 60,
  id: byPrefix(prefix),
  gives: (given) => common(given, what),
  ...more,
})

const zoneOf = ({ config, region }: ResourceContext) => textAt(config, 'availability_zone', `${region}a`)

const kinds: Record<string, Kind> = {
  aws_vpc: thing('vpc', 'vpc', { kind: 'network', fixed: ['cidr_block'] }),
  aws_subnet: thing('subnet', 'subnet', {
    kind: 'network',
    fixed: ['vpc_id', 'cidr_block', 'availability_zone'],
    gives: (given) => ({ ...common(given, 'subnet'), availability_zone: zoneOf(given) }),
  }),
  aws_internet_gateway: thing('igw', 'internet-gateway', { kind: 'network' }),
  aws_nat_gateway: thing('nat', 'natgateway', {
    kind: 'network',
    ms: 250,
    fixed: ['allocation_id', 'subnet_id'],
  }),
  aws_route_table: thing('rtb', 'route-table', { kind: 'network' }),
  aws_route: thing('r-rtb', 'route', { part: true, fixed: ['route_table_id', 'destination_cidr_block'] }),
  aws_route_table_association: thing('rtbassoc', 'association', { part: true, fixed: ['subnet_id'] }),
  aws_security_group: thing('sg', 'security-group', {
    kind: 'network',
    fixed: ['name', 'description', 'vpc_id'],
  }),
  aws_vpc_security_group_ingress_rule: thing('sgr', 'security-group-rule', {
    part: true,
    fixed: ['security_group_id'],
  }),
  aws_vpc_security_group_egress_rule: thing('sgr', 'security-group-rule', {
    part: true,
    fixed: ['security_group_id'],
  }),
  aws_eip: thing('eipalloc', 'elastic-ip', {
    kind: 'address',
    isPublic: () => true,
    gives: (given) => ({
      ...common(given, 'elastic-ip'),
      public_ip: given.seed.publicIp,
      allocation_id: given.seed.id,
    }),
  }),
  aws_eip_association: thing('eipassoc', 'association', {
    part: true,
    fixed: ['allocation_id', 'instance_id'],
  }),
  aws_key_pair: thing('key', 'key-pair', {
    id: named('key_name'),
    fixed: ['key_name', 'public_key'],
    gives: (given) => ({
      ...common(given, 'key-pair'),
      key_pair_id: text('key-0', cut(given.seed.token, 16)),
    }),
  }),
  aws_placement_group: thing('pg', 'placement-group', {
    id: named('name'),
    held: true,
    fixed: ['name', 'strategy'],
  }),
  aws_launch_template: thing('lt', 'launch-template', {
    fixed: ['name'],
    gives: (given) => ({ ...common(given, 'launch-template'), latest_version: 1, default_version: 1 }),
  }),
  aws_network_interface: thing('eni', 'network-interface', {
    kind: 'network',
    fixed: ['subnet_id', 'interface_type'],
    network: (config) => valueAt(config, 'subnet_id'),
    privateAddress: ({ private_ips: requested }) => (Array.isArray(requested) ? (requested[0] ?? '') : ''),
    gives: (given) => ({ ...common(given, 'network-interface'), private_ip: given.seed.privateIp }),
  }),
  aws_instance: thing('i', 'instance', {
    kind: 'machine',
    ms: 400,
    fixed: ['ami', 'subnet_id', 'key_name', 'placement_group', 'availability_zone', 'private_ip'],
    network: (config) => valueAt(config, 'subnet_id') ?? 'default',
    startedFrom: ({ launch_template: templates = [] }) => blocksAt({ templates }, 'templates')[0]?.id ?? '',
    addressOf: ({ primary_network_interface: nics = [] }) =>
      blocksAt({ nics }, 'nics')[0]?.network_interface_id ?? null,
    isPublic: (config) => config.associate_public_ip_address === true,
    gives: (given) => ({
      ...common(given, 'instance'),
      private_ip: given.config.private_ip ?? given.seed.privateIp,
      public_ip: given.seed.publicIp,
      availability_zone: zoneOf(given),
      instance_state: 'running',
    }),
  }),
  aws_ebs_volume: thing('vol', 'volume', {
    kind: 'volume',
    ms: 120,
    fixed: ['availability_zone', 'encrypted'],
    sizeGb: (config) => valueAt(config, 'size'),
  }),
  aws_volume_attachment: thing('vai', 'attachment', {
    part: true,
    ms: 80,
    fixed: ['device_name', 'instance_id', 'volume_id'],
    mountedOn: (config) => valueAt(config, 'instance_id'),
  }),
}

const lastOf = (list: Value | undefined): Value => (Array.isArray(list) ? (list.at(-1) ?? '') : '')

/** The range of existing subnets, which are not created by a module. */
const GIVEN_RANGE = '172.31.0.0/20'

export const aws: Cloud = {
  prefix: 'aws_',
  kinds,
  other: thing('x', 'other'),
  account: () => '000000000000',
  region: (provider, config) => textAt(provider, 'region', textAt(config, 'region', 'us-east-1')),
  tags: (config) => objectAt(config, 'tags'),
  data: {
    aws_ami: ({ config }) => {
      const [filter] = blocksAt(config, 'filter')
      return {
        id: 'ami-0simulated0000000',
        name: lastOf(filter?.values),
        architecture: 'x86_64',
        root_device_name: '/dev/sda1',
      }
    },
    aws_availability_zones: ({ region }) => ({
      id: region,
      names: ['a', 'b', 'c'].map((letter) => `${region}${letter}`),
      zone_ids: ['az1', 'az2', 'az3'].map((zone) => `${region}-${zone}`),
    }),
    aws_vpc: ({ config }) => ({ id: valueAt(config, 'id'), cidr_block: '172.31.0.0/16' }),
    aws_subnet: ({ config, region }) => ({
      id: valueAt(config, 'id'),
      vpc_id: 'vpc-0given00000000',
      cidr_block: GIVEN_RANGE,
      availability_zone: `${region}a`,
    }),
    aws_eip: ({ config }) => ({ id: valueAt(config, 'id'), public_ip: '198.18.255.1' }),
    aws_caller_identity: ({ account }) => ({
      id: account,
      account_id: account,
      arn: `arn:aws:iam::${account}:user/simulated`,
      user_id: 'SIMULATED',
    }),
    aws_region: ({ region }) => ({ id: region, name: region, region }),
  },
  attempts: 25,
  given: {
    range: GIVEN_RANGE,
    outside: (address) =>
      `api error InvalidParameterValue: Address ${address} does not fall within the subnet's address range`,
    taken: (address) => `api error InvalidIPAddress.InUse: Address ${address} is in use.`,
  },
  failures: {
    badCredential:
      'validating provider credentials: retrieving caller identity from STS: operation error STS: GetCallerIdentity, https response error StatusCode: 403, api error InvalidClientTokenId: The security token included in the request is invalid.',
    quota: exceededText.aws({ ...EXAMPLE, id: 'L-1216C47A' }),
    capacity:
      'creating EC2 Instance: operation error EC2: RunInstances, exceeded maximum number of attempts, {attempts}, https response error StatusCode: 500, api error InsufficientInstanceCapacity: We currently do not have sufficient capacity in the Availability Zone you requested.',
    busyDisk:
      "waiting for EBS Volume Attachment delete: unexpected state 'busy', wanted target 'detached'. last error: %!s(<nil>)",
    bootTimeout:
      "waiting for EC2 Instance create: timeout while waiting for state to become 'running' (last state: 'pending', timeout: 10m0s)",
  },
}
