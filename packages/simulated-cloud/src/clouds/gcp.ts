import type { Value, Values } from '../language/values'
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

const LINK = 'https://www.googleapis.com/compute/v1/'

type Place = 'global' | 'region' | 'zone'
const where = (place: Place, { config, region }: ResourceContext): string => {
  if (place === 'global') return 'global'
  if (place === 'region') return `regions/${textAt(config, 'region', region)}`
  return `zones/${textAt(config, 'zone', `${region}-a`)}`
}

/** Ids consist of names: two resources with the same name are the same resource. */
const thing = (place: Place, what: string, more: Partial<Kind> = {}): Kind => ({
  kind: 'network',
  ms: 60,
  id: (given) =>
    text(`projects/${given.account}/${where(place, given)}/${what}/`, valueAt(given.config, 'name')),
  ...more,
  gives: (given) => ({
    self_link: text(LINK, given.seed.id),
    project: given.account,
    ...more.gives?.(given),
  }),
  fixed: ['name', 'zone', 'region', 'network', ...(more.fixed ?? [])],
})

/** The machine's interfaces with their assigned addresses. */
const interfaces = ({ config, seed }: ResourceContext): Value =>
  blocksAt(config, 'network_interface').map((nic, index): Values => {
    const outside = blocksAt(nic, 'access_config').map((access) => ({
      ...access,
      nat_ip: access.nat_ip ?? seed.publicIp,
    }))
    return {
      ...nic,
      name: `nic${index}`,
      network_ip: nic.network_ip ?? seed.privateIp,
      ...(outside.length > 0 && { access_config: outside }),
    }
  })

const isInternal = (config: Values) => config.address_type === 'INTERNAL'
const firstNic = (config: Values): Values => blocksAt(config, 'network_interface')[0] ?? {}

const kinds: Record<string, Kind> = {
  google_compute_network: thing('global', 'networks'),
  google_compute_subnetwork: thing('region', 'subnetworks', {
    gives: () => ({ gateway_address: '10.77.0.1' }),
  }),
  google_compute_router: thing('region', 'routers'),
  google_compute_router_nat: thing('region', 'routers', {
    part: true,
    fixed: ['router'],
    id: (given) =>
      text(
        `projects/${given.account}/${where('region', given)}/routers/`,
        valueAt(given.config, 'router'),
        '/',
        valueAt(given.config, 'name'),
      ),
  }),
  google_compute_firewall: thing('global', 'firewalls'),
  google_compute_address: thing('region', 'addresses', {
    kind: 'address',
    isPublic: (config) => !isInternal(config),
    network: (config) => (isInternal(config) ? valueAt(config, 'subnetwork') : ''),
    privateAddress: (config) => valueAt(config, 'address'),
    gives: ({ config, seed }) => ({ address: isInternal(config) ? seed.privateIp : seed.publicIp }),
  }),
  google_compute_resource_policy: thing('region', 'resourcePolicies', { kind: 'other', held: true }),
  google_compute_disk: thing('zone', 'disks', {
    kind: 'volume',
    ms: 120,
    sizeGb: (config) => valueAt(config, 'size'),
    fixed: ['image', 'type'],
  }),
  google_compute_instance: thing('zone', 'instances', {
    kind: 'machine',
    ms: 400,
    refuses: (config) =>
      blocksAt(config, 'network_performance_config').length > 0 && firstNic(config).nic_type !== 'GVNIC'
        ? "Error 400: Invalid value for field 'resource.networkPerformanceConfig': Tier_1 requires gVNIC., invalid"
        : '',
    network: (config) => firstNic(config).subnetwork ?? firstNic(config).network ?? 'default',
    isPublic: (config) => blocksAt(firstNic(config), 'access_config').length > 0,
    gives: (given) => ({
      network_interface: interfaces(given),
      instance_id: given.seed.token,
      current_status: 'RUNNING',
    }),
    fixed: ['boot_disk', 'guest_accelerator', 'resource_policies', 'network_performance_config'],
  }),
  google_compute_attached_disk: {
    kind: 'other',
    part: true,
    ms: 80,
    id: ({ config }) => text(valueAt(config, 'instance'), '/', valueAt(config, 'disk')),
    fixed: ['instance', 'disk', 'device_name'],
    mountedOn: (config) => valueAt(config, 'instance'),
  },
}

/** The range of existing subnets, which are not created by a module. */
const GIVEN_RANGE = '10.128.0.0/20'

export const gcp: Cloud = {
  prefix: 'google_',
  kinds,
  other: thing('global', 'others', { kind: 'other' }),
  account: (env) => env.GOOGLE_PROJECT ?? env.GOOGLE_CLOUD_PROJECT ?? 'simulated',
  region: (provider, config) =>
    textAt(
      provider,
      'region',
      textAt(config, 'region', textAt(config, 'zone', 'us-central1-a').slice(0, -2)),
    ),
  tags: (config) => objectAt(config, 'labels'),
  data: {
    google_compute_image: ({ config }) => {
      const id = `projects/${textAt(config, 'project', 'simulated')}/global/images/${textAt(config, 'family', textAt(config, 'name'))}`
      return { id, self_link: `${LINK}${id}`, name: textAt(config, 'family') }
    },
    google_compute_zones: ({ region }) => ({
      id: region,
      names: ['a', 'b', 'c'].map((zone) => `${region}-${zone}`),
    }),
    google_compute_network: ({ config, account }) => {
      const id = `projects/${account}/global/networks/${textAt(config, 'name')}`
      return { id, self_link: `${LINK}${id}` }
    },
    google_compute_subnetwork: ({ config, account, region }) => {
      const id = `projects/${account}/regions/${region}/subnetworks/${textAt(config, 'name', 'given')}`
      return {
        id,
        self_link: textAt(config, 'self_link', `${LINK}${id}`),
        network: `${LINK}projects/${account}/global/networks/given`,
        ip_cidr_range: GIVEN_RANGE,
      }
    },
    google_client_config: ({ account, region }) => ({ id: account, project: account, region }),
    google_project: ({ account }) => ({ id: `projects/${account}`, project_id: account, number: '0' }),
  },
  given: {
    range: GIVEN_RANGE,
    outside: (address) =>
      `Error creating Address: googleapi: Error 400: Invalid value for field 'resource.address': '${address}'. Requested internal IP address is outside the subnetwork/network range., invalid`,
    taken: (address) =>
      `Error creating Address: googleapi: Error 409: IP '${address}' is already being used by another resource., alreadyExists`,
  },
  failures: {
    badCredential:
      'oauth2: "invalid_grant" "Invalid grant: account not found": the service account of the credential is not there or its key was removed',
    quota: exceededText.gcp({ ...EXAMPLE, id: 'CPUS' }),
    capacity:
      'Error waiting for instance to create: The zone does not have enough resources available to fulfill the request. ZONE_RESOURCE_POOL_EXHAUSTED',
    busyDisk: 'Error waiting for detaching disk: the disk resource is in use by a running instance.',
    bootTimeout:
      "Error waiting for instance to create: timeout while waiting for state to become 'DONE' (last state: 'RUNNING', timeout: 20m0s)",
  },
}
