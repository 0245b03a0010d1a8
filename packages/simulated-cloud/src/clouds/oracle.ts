import type { Values } from '../language/values'
import {
  blocksAt,
  objectAt,
  text,
  textAt,
  valueAt,
  type Cloud,
  type ResourceContext,
  type Kind,
} from './kind'
import { EXAMPLE, exceededText } from './quotas'

const ocid =
  (what: string) =>
  ({ seed, region }: Pick<ResourceContext, 'seed' | 'region'>) =>
    text(`ocid1.${what}.oc1.${region}.sim`, seed.token)

const thing = (what: string, more: Partial<Kind> = {}): Kind => ({
  kind: 'network',
  ms: 60,
  id: ocid(what),
  ...more,
  gives: (given) => ({ state: 'AVAILABLE', ...more.gives?.(given) }),
  fixed: ['availability_domain', ...(more.fixed ?? [])],
})

/** The oldest regions have shorter names. */
const domainName = (region: string, number: number) =>
  `Uocm:${{ 'us-phoenix-1': 'PHX', 'us-ashburn-1': 'US-ASHBURN' }[region] ?? region.toUpperCase()}-AD-${number}`

const firstNic = (config: Values): Values => blocksAt(config, 'create_vnic_details')[0] ?? {}

/** Public by default; the setting may be text or a Boolean. */
const wantsAddress = (nic: Values) => ![false, 'false'].includes(nic.assign_public_ip as boolean | string)

const kinds: Record<string, Kind> = {
  oci_core_vcn: thing('vcn', {
    gives: (given) => ({
      default_route_table_id: ocid('routetable')(given),
      default_security_list_id: ocid('securitylist')(given),
      default_dhcp_options_id: ocid('dhcpoptions')(given),
    }),
    fixed: ['cidr_block', 'cidr_blocks', 'dns_label'],
  }),
  oci_core_subnet: thing('subnet', { fixed: ['vcn_id', 'cidr_block'] }),
  oci_core_internet_gateway: thing('internetgateway', { fixed: ['vcn_id'] }),
  oci_core_nat_gateway: thing('natgateway', { fixed: ['vcn_id'] }),
  oci_core_service_gateway: thing('servicegateway', { fixed: ['vcn_id'] }),
  oci_core_local_peering_gateway: thing('localpeeringgateway', { fixed: ['vcn_id'] }),
  oci_core_route_table: thing('routetable', { fixed: ['vcn_id'] }),
  oci_core_route_table_attachment: thing('routetableattachment', { part: true }),
  oci_core_security_list: thing('securitylist', { fixed: ['vcn_id'] }),
  oci_core_network_security_group: thing('networksecuritygroup', { fixed: ['vcn_id'] }),
  oci_core_network_security_group_security_rule: thing('securityrule', {
    part: true,
    fixed: ['network_security_group_id', 'direction'],
  }),
  oci_core_public_ip: thing('publicip', {
    kind: 'address',
    isPublic: () => true,
    gives: ({ seed }) => ({ ip_address: seed.publicIp }),
  }),
  oci_core_compute_cluster: thing('computecluster', { kind: 'other', held: true }),
  oci_core_instance: thing('instance', {
    kind: 'machine',
    ms: 400,
    refuses: (config) =>
      config.compute_cluster_id && !textAt(config, 'shape').startsWith('BM.')
        ? '400-InvalidParameter, The shape is not supported in a compute cluster'
        : '',
    network: (config) => firstNic(config).subnet_id ?? valueAt(config, 'subnet_id'),
    privateAddress: (config) => firstNic(config).private_ip ?? '',
    isPublic: (config) => wantsAddress(firstNic(config)),
    gives: (given) => ({
      state: 'RUNNING',
      private_ip: firstNic(given.config).private_ip ?? given.seed.privateIp,
      public_ip: given.seed.publicIp,
      boot_volume_id: ocid('bootvolume')(given),
    }),
    fixed: ['source_details', 'metadata', 'create_vnic_details', 'compute_cluster_id'],
  }),
  oci_core_volume: thing('volume', {
    kind: 'volume',
    ms: 120,
    sizeGb: (config) => valueAt(config, 'size_in_gbs'),
  }),
  oci_core_volume_attachment: thing('volumeattachment', {
    part: true,
    ms: 80,
    fixed: ['instance_id', 'volume_id', 'attachment_type', 'device'],
    mountedOn: (config) => valueAt(config, 'instance_id'),
  }),
}

/** The range of existing subnets, which are not created by a module. */
const GIVEN_RANGE = '10.0.0.0/24'

export const oracle: Cloud = {
  prefix: 'oci_',
  kinds,
  other: thing('other', { kind: 'other' }),
  account: (env) => env.TF_VAR_tenancy_ocid ?? env.OCI_TENANCY ?? 'ocid1.tenancy.oc1..simulated',
  region: (provider) => textAt(provider, 'region', 'us-phoenix-1'),
  tags: (config) => objectAt(config, 'freeform_tags'),
  data: {
    oci_core_images: ({ config }) => ({
      id: 'images',
      images: [
        {
          id: 'ocid1.image.oc1..simulated',
          display_name: textAt(config, 'operating_system', 'Simulated Linux'),
          operating_system: textAt(config, 'operating_system'),
        },
      ],
    }),
    oci_identity_availability_domains: ({ region, account }) => ({
      id: account,
      availability_domains: [1, 2, 3].map((number) => ({
        id: `ocid1.availabilitydomain.oc1..simulated${number}`,
        name: domainName(region, number),
      })),
    }),
    oci_core_subnet: ({ config }) => ({
      id: valueAt(config, 'subnet_id'),
      vcn_id: 'ocid1.vcn.oc1..given',
      cidr_block: GIVEN_RANGE,
    }),
    oci_core_vcn: ({ config }) => ({
      id: valueAt(config, 'vcn_id'),
      cidr_block: '10.0.0.0/16',
      cidr_blocks: ['10.0.0.0/16'],
      default_route_table_id: 'ocid1.routetable.oc1..given',
    }),
    oci_core_vnic_attachments: () => ({
      id: 'attachments',
      vnic_attachments: [{ vnic_id: 'ocid1.vnic.oc1..simulated' }],
    }),
    oci_core_private_ips: () => ({ id: 'ips', private_ips: [{ id: 'ocid1.privateip.oc1..simulated' }] }),
  },
  given: {
    range: GIVEN_RANGE,
    outside: (address, range) =>
      `400-InvalidParameter, Private IP address ${address} is outside of the subnet range ${range}`,
    taken: (address) => `409-Conflict, Private IP ${address} is already in use`,
  },
  failures: {
    badCredential:
      '401-NotAuthenticated, The required information to complete authentication was not provided or was incorrect. Suggestion: Please retry or contact support for help with service: Identity Availability Domains',
    quota: exceededText.oracle({ ...EXAMPLE, id: 'standard-e4-core-count' }),
    capacity:
      '500-InternalError, Out of host capacity. Suggestion: Please contact support for help with service: Core Instance',
    busyDisk: '409-IncorrectState, the volume attachment is in use by a running instance.',
    bootTimeout:
      'Create Core Instance failed: Operation Timeout: timeout while waiting for state to become RUNNING (last state: PROVISIONING, timeout: 45m0s)',
  },
}
