import {
  EXISTING_DISK,
  EXISTING_FILE_SYSTEM,
  type AccountChoice,
} from '@flotilla/contract/clouds/account-choices'
import type { ProviderId } from '@flotilla/contract/site/config'
import { choice } from '../providers/account-lists'

/** The choices of a field: what the account had from the start, and the type of what was created since. */
interface Held {
  before?: AccountChoice[]
  type?: string
}
type Account = Record<string, Held>

/** The same choices for a cluster's and a stack's field. */
const both = (cluster: string, stack: string, held: Held): Account => ({ [cluster]: held, [stack]: held })
const inside = (within: string, one: AccountChoice, more: Partial<AccountChoice> = {}): AccountChoice => ({
  ...one,
  within,
  ...more,
})

function aws(region: string, range: string): Account {
  const vpc = 'vpc-0c0ffee0000000001'
  return {
    ...both('data.network.vpc_id', 'data.vpc_id', {
      type: 'aws_vpc',
      before: [choice(vpc, 'research', '172.31.0.0/16', 'default')],
    }),
    ...both('data.network.subnet_id', 'data.subnet_id', {
      type: 'aws_subnet',
      before: [
        inside(vpc, choice('subnet-0c0ffee0000000001', 'research', range, `${region}a`, vpc), {
          range,
          zones: [`${region}a`],
        }),
      ],
    }),
    ...both('data.network.security_group_id', 'data.security_group_id', {
      type: 'aws_security_group',
      before: [inside(vpc, choice('sg-0c0ffee0000000001', 'ssh-from-campus', vpc))],
    }),
    ...both('data.server.image_name', 'data.source_image', {
      type: 'aws_ami',
      before: [{ ...choice('ami-0c0ffee0000000001', 'graviton', 'arm64'), arch: 'arm64' }],
    }),
    'data.network.eip_id': { before: [choice('eipalloc-0c0ffee0000000001', 'head', '198.18.255.1')] },
    [EXISTING_DISK]: {
      type: 'aws_ebs_volume',
      before: [
        {
          ...choice('vol-0c0ffee0000000001', 'genomes', '200 GB', 'gp3', `${region}a`),
          zones: [`${region}a`],
        },
      ],
    },
    [EXISTING_FILE_SYSTEM.nfs]: {
      before: [choice(`fs-0c0ffee0000000001.efs.${region}.amazonaws.com:/`, 'home', 'EFS')],
    },
    [EXISTING_FILE_SYSTEM.lustre]: {
      before: [
        choice(
          `fs-0c0ffee0000000002.fsx.${region}.amazonaws.com@tcp:/scratch`,
          'scratch',
          'FSx for Lustre',
          '1200 GB',
          vpc,
        ),
      ],
    },
    'data.ec2_role': { before: [choice('cluster-nodes', '', 'role cluster-nodes')] },
  }
}

function azure(region: string, range: string): Account {
  const group = '/subscriptions/simulated/resourceGroups/research'
  const network = `${group}/providers/Microsoft.Network`
  const vnet = `${network}/virtualNetworks/research`
  const groups = { before: [choice('research', '', region)] }
  return {
    'data.resource_group_id': groups,
    'data.image_resource_group_name': groups,
    'data.resource_group_name': groups,
    'data.source_resource_group_name': groups,
    'data.network.network_id': {
      type: 'azurerm_virtual_network',
      before: [choice(vnet, 'research', '10.0.0.0/16')],
    },
    'data.network.subnet_id': {
      type: 'azurerm_subnet',
      before: [inside(vnet, choice(`${vnet}/subnets/nodes`, 'nodes', range, 'research'), { range })],
    },
    'data.subnet_network_id': { before: [choice('research', '', '10.0.0.0/16')] },
    'data.subnet_id': { before: [inside('research', choice('nodes', '', range, 'research'))] },
    'data.network.security_group_id': {
      type: 'azurerm_network_security_group',
      before: [choice(`${network}/networkSecurityGroups/ssh-from-campus`, 'ssh-from-campus')],
    },
    'data.network.eip_id': {
      before: [choice(`${network}/publicIPAddresses/head`, 'head', '198.18.255.2')],
    },
    [EXISTING_DISK]: { type: 'azurerm_managed_disk' },
    [EXISTING_FILE_SYSTEM.nfs]: {
      before: [
        choice('research.file.core.windows.net:/research/home', 'home', 'Azure Files', '100 GB', 'research'),
        choice('10.0.0.4:/scratch', 'scratch', 'NetApp Files', '1024 GB', 'research'),
      ],
    },
    'data.server.image_name': { type: 'azurerm_image' },
    // This field takes the image's name without its resource group, so no images are offered.
    'data.source_image': {},
  }
}

const gcp = (region: string, range: string): Account => ({
  ...both('data.network.network_id', 'data.subnet_network_id', {
    type: 'google_compute_network',
    before: [choice('research', '', 'own subnetworks')],
  }),
  ...both('data.network.subnet_id', 'data.subnet_id', {
    type: 'google_compute_subnetwork',
    before: [inside('research', choice('nodes', '', range, 'network research'), { range })],
  }),
  [EXISTING_DISK]: {
    type: 'google_compute_disk',
    before: [
      {
        ...choice(
          `projects/simulated/regions/${region}/disks/mirrored`,
          'mirrored',
          '200 GB',
          'pd-ssd',
          `${region}-b and ${region}-c`,
        ),
        zones: [`${region}-b`, `${region}-c`],
      },
    ],
  },
  [EXISTING_FILE_SYSTEM.nfs]: {
    before: [choice('10.0.0.2:/home', 'home', 'Filestore', '1024 GB', region, 'network research')],
  },
  'data.network.firewall_id': { before: [choice('allow-ssh', '', 'ssh-from-campus in research')] },
  'data.network.fip_address': { before: [choice('198.18.255.3', 'head', 'reserved')] },
  'data.service_account': {
    before: [choice('cluster-nodes@simulated.iam.gserviceaccount.com', 'Cluster nodes')],
  },
  ...both('data.server.image_name', 'data.source_image', { type: 'google_compute_image' }),
})

function oracle(_region: string, range: string): Account {
  const vcn = 'ocid1.vcn.oc1..research'
  const subnet = inside(vcn, choice('ocid1.subnet.oc1..research', 'nodes', range, 'regional', 'public'), {
    range,
  })
  return {
    'data.network.vcn_id': { type: 'oci_core_vcn', before: [choice(vcn, 'research', '10.0.0.0/16')] },
    ...both('data.network.subnet_id', 'data.subnet_id', { type: 'oci_core_subnet', before: [subnet] }),
    'data.network.security_group_id': {
      type: 'oci_core_network_security_group',
      before: [inside(vcn, choice('ocid1.networksecuritygroup.oc1..research', 'ssh-from-campus'))],
    },
    [EXISTING_DISK]: { type: 'oci_core_volume' },
    [EXISTING_FILE_SYSTEM.nfs]: { before: [choice('10.0.0.5:/home', '/home', 'File Storage', 'research')] },
    'data.LPG': { before: [choice('ocid1.localpeeringgateway.oc1..research', 'to-storage', 'new')] },
    ...both('data.server.image_name', 'data.source_image', { type: 'oci_core_image' }),
  }
}

/** The contents of the simulated clouds' accounts, limited to what fields can refer to. */
export const accounts: Record<ProviderId, (region: string, range: string) => Account> = {
  aws,
  azure,
  gcp,
  oracle,
  // The simulated site has ten machines.
  maas: () => ({
    'data.network.zone_name': { before: [choice('default', '', '10 machines')] },
    'data.network.subnet_id': { before: [choice('10.77.0.0/16', 'machines', 'space research')] },
  }),
}
