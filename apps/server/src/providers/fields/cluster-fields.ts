import type { Definition } from './describe'
import { machineFields } from './machine-fields'
import { networkFields } from './network-fields'
import { softwareFields } from './software-fields'

/**
 * Every field of a cluster except those that the form renders on its own: name, description, credential, stack,
 * collaborators, the list of node groups, additional disks and tags.
 */
const definitions = {
  'data.network.region_id': {
    label: 'Region',
    help: 'Where the machines run; sizes and prices depend on it.',
    step: 'basics',
    kind: 'region',
    required: true,
    elsewhere: 'This provider has no regions.',
  },
  'data.network.zone_id': {
    label: 'Zone',
    help: 'The data center within the region. Leave empty to let the cloud choose.',
    step: 'basics',
    kind: 'zone',
    elsewhere: 'This provider has no availability zones.',
  },
  'data.network.availability_domain': {
    label: 'Availability domain',
    help: 'The data center within the region, without your tenancy’s prefix.',
    step: 'basics',
    kind: 'zone',
    elsewhere: 'Availability domains exist only on Oracle Cloud. Choose a zone.',
  },
  'data.network.zone_name': {
    label: 'Physical zone',
    help: 'Use only machines in this zone. Leave empty to use any.',
    step: 'basics',
    kind: 'text',
    kept: 'A display name for the zone; zone_id is what takes effect.',
  },
  'info.os-type': {
    label: 'Operating system',
    help: 'What the machines run, unless a stack or your own image determines it.',
    step: 'basics',
    kind: 'osType',
    required: true,
  },
  'info.prefix': {
    label: 'Prefix',
    help: 'The prefix of the names of the head node and of everything created. Defaults to the name of the cluster.',
    step: 'basics',
    kind: 'text',
    advanced: true,
  },
  ...machineFields,
  ...networkFields,
  ...softwareFields,
} satisfies Record<string, Definition>
export type ClusterPath = keyof typeof definitions
export const clusterFields: Record<ClusterPath, Definition> = definitions
