import type { Value, Values } from '../language/values'
import { blocksAt, cut, text, textAt, valueAt, type Cloud, type Kind } from './kind'

/**
 * The site has ordinary machines and a few large ones, which are allocated to requests that exceed an ordinary machine.
 */
const ORDINARY = { cpu_count: 32, memory: 131_072 }
const LARGE = { cpu_count: 64, memory: 524_288 }
const machineFor = (config: Values) => {
  const [requested = {}] = blocksAt(config, 'allocate_params')
  const more = (value: Value | undefined, than: number) => typeof value === 'number' && value > than
  const { tags } = requested
  return more(requested.min_cpu_count, ORDINARY.cpu_count) ||
    more(requested.min_memory, ORDINARY.memory) ||
    (Array.isArray(tags) && tags.includes('gpu'))
    ? LARGE
    : ORDINARY
}

const machine: Kind = {
  kind: 'machine',
  ms: 600,
  id: ({ seed }) => cut(seed.token, 6),
  network: () => 'maas',
  gives: ({ config, seed }) => ({
    ip_addresses: [seed.privateIp],
    fqdn: text('sim-', cut(seed.token, 6), '.maas'),
    hostname: text('sim-', cut(seed.token, 6)),
    ...machineFor(config),
    zone: valueAt(config, 'zone') ?? 'default',
    pool: valueAt(config, 'pool') ?? 'default',
  }),
  fixed: ['allocate_params', 'deploy_params', 'network_interfaces'],
}

export const maas: Cloud = {
  prefix: 'maas_',
  kinds: { maas_instance: machine },
  other: { kind: 'other', ms: 60, id: ({ seed }) => cut(seed.token, 6) },
  account: () => 'simulated',
  region: () => 'maas',
  // MAAS machines have their owner's tags, never ours.
  tags: () => ({}),
  data: {
    maas_machines: () => ({ id: 'machines', machines: [] }),
    maas_machine: ({ config }) => ({ id: textAt(config, 'hostname'), hostname: textAt(config, 'hostname') }),
    maas_subnet: ({ config }) => ({ id: '1', cidr: textAt(config, 'cidr', '10.77.0.0/16') }),
  },
  failures: {
    badCredential:
      'unable to get MAAS version: ServerError: 401 Unauthorized (Authorization Error: Invalid API key.)',
    quota: 'ServerError: 409 Conflict (The pool has reached its quota of machines.)',
    capacity: "ServerError: 409 Conflict (No available machine matches constraints: [('agent_name', [''])])",
    busyDisk: 'the disk is in use.',
    bootTimeout:
      "timeout while waiting for state to become 'Deployed' (last state: 'Deploying', timeout: 20m0s)",
  },
}
