import { impossibleIn } from '@flotilla/contract/clusters/impossible/impossible'
import type { Image } from '@flotilla/contract/clusters/impossible/machines'
import type { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { marketplace } from '@flotilla/contract/stacks/marketplace'
import { describe, expect, it } from 'vitest'
import { cloudProviders } from './registry'
import { variables as awsVariables } from './aws/variables'
import { clusterOf, deploymentOf } from '../../test/support/deployment'

type Data = CloudClusterInput['data']
interface Case {
  what: string
  on: ProviderId
  /** The cluster is possible until this is done to it. */
  change: (data: Data, cluster: CloudClusterInput) => void
  at: string
  says: RegExp
  image?: Image
}

/** The first group of the sample, which always has one. */
const group = ({ node }: Data) => {
  const [first] = node.group
  if (!first) throw new Error('the sample has a group')
  return first
}

const cases: Case[] = [
  // EFA
  {
    what: 'EFA on a size without it',
    on: 'aws',
    change: (data) => Object.assign(group(data), { instance_id: 't2.large', efa: true }),
    at: 'data.node.group.0.efa',
    says: /t2.large has no Elastic Fabric Adapter/,
  },
  ...(['azure', 'gcp', 'oracle', 'maas'] as const).map((on) => ({
    what: 'EFA on another cloud',
    on,
    change: (data: Data) => void (group(data).efa = true),
    at: 'data.node.group.0.efa',
    says: /only on AWS/,
  })),
  // Processors
  {
    what: 'an x86 image of a stack on ARM nodes',
    on: 'aws',
    change: () => undefined,
    image: { arch: 'x86_64', disk: 0 },
    at: 'data.node.group.0.instance_id',
    says: /image is for x86, but c6gn.16xlarge is an ARM size/,
  },
  {
    what: 'an ARM image of a stack on an x86 head node',
    on: 'aws',
    change: () => undefined,
    image: { arch: 'arm64', disk: 0 },
    at: 'data.server.instance_id',
    says: /image is for ARM, but c5n.9xlarge is an x86 size/,
  },
  {
    what: 'a system without a public ARM image',
    on: 'azure',
    change: (data, { info }) => {
      info['os-type'] = 'rocky-9'
      data.server.instance_id = 'Standard_D4ps_v5'
    },
    at: 'data.server.instance_id',
    says: /Rocky Linux 9 has no public ARM image on Azure/,
  },
  {
    what: 'a system without a public image',
    on: 'gcp',
    change: (_data, { info }) => void (info['os-type'] = 'centos-7'),
    at: 'info.os-type',
    says: /no longer offers CentOS 7/,
  },
  {
    what: 'a system without a platform image',
    on: 'oracle',
    change: (_data, { info }) => void (info['os-type'] = 'centos-7'),
    at: 'info.os-type',
    says: /no platform image/,
  },
  // Accelerators
  {
    what: 'an accelerator on a family without it, head node',
    on: 'gcp',
    change: ({ server }) =>
      Object.assign(server, { instance_id: 'c3-standard-44', accelerator_type: 'nvidia-tesla-t4' }),
    at: 'data.server.accelerator_type',
    says: /c3-standard-44 cannot have accelerators/,
  },
  {
    what: 'an accelerator on a family without it, nodes',
    on: 'gcp',
    change: (data) => {
      group(data).instance_id = 'c3-standard-44'
      data.node.accelerator_type = 'nvidia-tesla-t4'
    },
    at: 'data.node.accelerator_type',
    says: /c3-standard-44 cannot have accelerators/,
  },
  {
    what: 'an unknown accelerator',
    on: 'gcp',
    change: ({ server }) => void (server.accelerator_type = 'nvidia-tesla-k9'),
    at: 'data.server.accelerator_type',
    says: /No accelerator named nvidia-tesla-k9/,
  },
  {
    what: 'a number of accelerators that cannot be attached',
    on: 'gcp',
    change: ({ server }) =>
      Object.assign(server, { accelerator_type: 'nvidia-tesla-t4', accelerator_count: 3 }),
    at: 'data.server.accelerator_count',
    says: /Attach 1, 2, 4 of NVIDIA T4/,
  },
  {
    what: 'too many cores for the accelerators',
    on: 'gcp',
    change: ({ server }) =>
      Object.assign(server, { instance_id: 'n1-standard-16', accelerator_type: 'nvidia-tesla-v100' }),
    at: 'data.server.accelerator_count',
    says: /at most 12 cores; n1-standard-16 has 16/,
  },
  {
    what: 'an accelerator elsewhere',
    on: 'aws',
    change: ({ node }) => void (node.accelerator_type = 'nvidia-tesla-t4'),
    at: 'data.node.accelerator_type',
    says: /Only Google Cloud/,
  },
  // Networks
  ...(
    [
      ['gcp', 'tier1', 'n1-standard-96', /n1-standard-96 has no Tier_1 networking/],
      ['gcp', 'tier1', 'n2-standard-16', /Choose an n2, c2, c3 or c4 size with more vCPUs/],
      ['gcp', 'tier1', 'c4-standard-32', /c4-standard-32 has no Tier_1/],
      ['gcp', 'compact', 'e2-standard-32', /e2-standard-32 cannot be placed so/],
      ['oracle', 'rdma', 'VM.Standard.E4.Flex', /VM\.Standard\.E4\.Flex has no RDMA network/],
      ['oracle', 'rdma', 'BM.GPU3.8', /has no RDMA network/],
      ['oracle', 'spot', 'BM.GPU4.8', /not available as a preemptible machine/],
      ['aws', 'spot', 'hpc7a.12xlarge', /not available as a spot machine/],
      ['aws', 'rdma', 'c5n.18xlarge', /only on Oracle Cloud/],
      ['azure', 'compact', 'Standard_D4s_v5', /only on Google Cloud/],
      ['oracle', 'tier1', 'BM.GPU4.8', /only on Google Cloud/],
    ] as const
  ).map(([on, field, instance_id, says]) => ({
    what: `${field} on ${instance_id}`,
    on,
    change: (data: Data) => Object.assign(group(data), { instance_id, [field]: true }),
    at: `data.node.group.0.${field}`,
    says,
  })),
  // Addresses
  ...(
    [
      ['aws', '10.77.128.4', /from 10\.77\.0\.4 to 10\.77\.127\.254/],
      ['aws', '10.77.0.3', /from 10\.77\.0\.4/],
      ['azure', '10.78.0.9', /from 10\.77\.0\.4 to 10\.77\.255\.254/],
      ['gcp', '10.77.0.1', /from 10\.77\.0\.2 to 10\.77\.255\.253/],
      ['oracle', '10.77.200.1', /from 10\.77\.0\.2 to 10\.77\.127\.254/],
      ['aws', '10.77.0', /IPv4/],
      ['gcp', 'head.example.org', /IPv4/],
    ] as const
  ).map(([on, address, says]) => ({
    what: `the address ${address}`,
    on,
    change: ({ network }: Data) => void (network.private_static_ip = address),
    at: 'data.network.private_static_ip',
    says,
  })),
  {
    what: 'an address outside the range of its own',
    on: 'oracle',
    change: (data) => {
      data.vcn_cidr = '10.9.0.0/16'
      data.network.private_static_ip = '10.77.0.9'
    },
    at: 'data.network.private_static_ip',
    says: /from 10\.9\.0\.2 to 10\.9\.127\.254/,
  },
  {
    what: 'an address outside its subnet',
    on: 'maas',
    change: ({ network }) =>
      Object.assign(network, {
        network_id: 'eno1',
        subnet_id: '10.4.0.0/24',
        private_static_ip: '10.5.0.9',
      }),
    at: 'data.network.private_static_ip',
    says: /from 10\.4\.0\.1 to 10\.4\.0\.254/,
  },
  {
    what: 'an address in a subnet that is yet to be made in a given network',
    on: 'aws',
    change: ({ network }) =>
      Object.assign(network, { vpc_id: 'vpc-0a1b2c3d', private_static_ip: '172.31.0.9' }),
    at: 'data.network.private_static_ip',
    says: /Enter the subnet/,
  },
  {
    what: 'an address of the public part for a private head node',
    on: 'aws',
    change: ({ network, server }) => {
      server.isPrivate = true
      network.private_static_ip = '10.77.0.9'
    },
    at: 'data.network.private_static_ip',
    says: /from 10\.77\.128\.4 to 10\.77\.255\.254/,
  },
  {
    what: 'a range that is none',
    on: 'oracle',
    change: (data) => void (data.vcn_cidr = '10.0.0.5/16'),
    at: 'data.vcn_cidr',
    says: /range from \/16 to \/29/,
  },
  {
    what: 'a range that is too large',
    on: 'oracle',
    change: (data) => void (data.vcn_cidr = '10.0.0.0/8'),
    at: 'data.vcn_cidr',
    says: /range from \/16 to \/29/,
  },
  {
    what: 'a peer with the same range',
    on: 'oracle',
    change: (data) =>
      Object.assign(data, { LPG: 'ocid1.localpeeringgateway.oc1.phx.aaaa', local_cidr: '10.77.4.0/24' }),
    at: 'data.local_cidr',
    says: /overlaps/,
  },
  {
    what: 'a peer without a range',
    on: 'oracle',
    change: (data) => void (data.LPG = 'ocid1.localpeeringgateway.oc1.phx.aaaa'),
    at: 'data.local_cidr',
    says: /Enter the address range/,
  },
  // Zones
  ...(
    [
      ['aws', 'zone_id', 'us-west-2a', 'data.network.zone_id'],
      ['gcp', 'zone_id', 'europe-west1-b', 'data.network.zone_id'],
      ['azure', 'zone_id', '7', 'data.network.zone_id'],
      ['oracle', 'availability_domain', 'US-ASHBURN-AD-1', 'data.network.availability_domain'],
    ] as const
  ).map(([on, field, zone, at]) => ({
    what: `the zone ${zone} of another region`,
    on,
    change: ({ network }: Data) => void (network[field] = zone),
    at,
    says: /is not in .*Choose /,
  })),
  {
    what: 'a zone in a region without zones',
    on: 'azure',
    change: ({ network }) => Object.assign(network, { region_id: 'westus', zone_id: '1' }),
    at: 'data.network.zone_id',
    says: /West US has no availability zones/,
  },
  // Ids
  ...(
    [
      ['aws', 'vpc_id', 'vpc-xyz'],
      ['aws', 'vpc_id', 'subnet-0a1b2c3d'],
      ['aws', 'subnet_id', 'subnet-1'],
      ['aws', 'security_group_id', 'default'],
      ['aws', 'eip_id', '203.0.113.9'],
      ['azure', 'network_id', 'my-network'],
      [
        'azure',
        'subnet_id',
        '/subscriptions/1/resourceGroups/a/providers/Microsoft.Network/virtualNetworks/b',
      ],
      ['azure', 'security_group_id', 'nsg'],
      ['azure', 'eip_id', '203.0.113.9'],
      ['gcp', 'network_id', 'My Network'],
      ['gcp', 'subnet_id', 'regions/x'],
      ['gcp', 'firewall_id', 'Allow SSH'],
      ['gcp', 'fip_address', 'address-1'],
      ['oracle', 'vcn_id', 'vcn-1'],
      ['oracle', 'subnet_id', 'ocid1.vcn.oc1.phx.aaaa'],
      ['oracle', 'security_group_id', 'ocid1.securitylist.oc1.phx.aaaa'],
      ['maas', 'subnet_id', 'fabric-0'],
      ['maas', 'fip_address', '300.1.1.1'],
    ] as const
  ).map(([on, field, value]) => ({
    what: `${field} ${value}`,
    on,
    change: ({ network }: Data) => void (network[field] = value),
    at: `data.network.${field}`,
    says: /^Enter a value such as /,
  })),
  {
    what: 'an image that is none',
    on: 'aws',
    change: ({ server }) => void (server.image_name = 'my image'),
    at: 'data.server.image_name',
    says: /such as ami-/,
  },
  {
    what: 'an ARN for a role',
    on: 'aws',
    change: (data) => void (data.ec2_role = 'arn:aws:iam::1:role/x'),
    at: 'data.ec2_role',
    says: /such as/,
  },
  {
    what: 'a service account that is no address',
    on: 'gcp',
    change: (data) => void (data.service_account = 'me'),
    at: 'data.service_account',
    says: /such as/,
  },
  // Disks
  ...(
    [
      ['aws', 'gp2', 16_385, /At most 16384 GB for General purpose SSD, older/],
      ['aws', 'io1', 16_385, /At most 16384 GB/],
      ['aws', 'standard', 1025, /At most 1024 GB for Magnetic/],
      ['azure', '', 4096, /At most 4095 GB for Premium SSD/],
      ['azure', '', 29, /At least 30 GB for this image/],
      ['gcp', '', 19, /At least 20 GB for this image/],
      ['oracle', '', 49, /At least 50 GB/],
      ['oracle', '20', 32_769, /At most 32768 GB/],
      ['aws', '', 7, /At least 8 GB for this image/],
    ] as const
  ).flatMap(([on, type, size, says]) =>
    (['server', 'node'] as const).map((part) => ({
      what: `a system disk of ${size} GB, ${type || 'the default type'}, ${part}`,
      on,
      change: (data: Data) => Object.assign(data[part], { disk_type: type, volume_size: size }),
      at: `data.${part}.volume_size`,
      says,
    })),
  ),
  ...(
    [
      ['aws', 'io2', 3, /At least 4 GB/],
      ['aws', 'io1', 3, /At least 4 GB/],
      ['aws', 'standard', 1025, /At most 1024 GB/],
      ['azure', '', 32_768, /At most 32767 GB/],
      ['gcp', 'pd-ssd', 9, /At least 10 GB/],
      ['oracle', '', 49, /At least 50 GB/],
    ] as const
  ).map(([on, type, size, says]) => ({
    what: `a disk of ${size} GB, ${type || 'the default type'}`,
    on,
    change: (data: Data) => void (data.disks = [{ name: 'data', size, type, id: '' }]),
    at: 'data.disks.0.size',
    says,
  })),
  ...(['aws', 'azure', 'gcp', 'oracle'] as const).flatMap((on) => [
    {
      what: 'an unknown type of disk',
      on,
      change: (data: Data) => void (data.disks = [{ name: 'data', size: 100, type: 'tape', id: '' }]),
      at: 'data.disks.0.type',
      says: /No disk type named tape/,
    },
    {
      what: 'an unknown type of system disk',
      on,
      change: ({ node }: Data) => void (node.disk_type = 'tape'),
      at: 'data.node.disk_type',
      says: /No disk (type|performance) named tape/,
    },
  ]),
  {
    what: 'a disk smaller than the image of the stack',
    on: 'aws',
    change: ({ server }) => void (server.volume_size = 99),
    image: { arch: null, disk: 100 },
    at: 'data.server.volume_size',
    says: /At least 100 GB for this image/,
  },
  {
    what: 'premium disks on a size without them',
    on: 'azure',
    change: ({ server }) =>
      Object.assign(server, { instance_id: 'Standard_D2_v2', disk_type: 'Premium_LRS' }),
    at: 'data.server.disk_type',
    says: /Standard_D2_v2 cannot have disks of the type Premium_LRS/,
  },
  {
    what: 'persistent disks on a family that takes only hyperdisks',
    on: 'gcp',
    change: ({ server }) => Object.assign(server, { instance_id: 'n4-standard-8', disk_type: 'pd-ssd' }),
    at: 'data.server.disk_type',
    says: /cannot have disks of the type pd-ssd/,
  },
  {
    what: 'hyperdisks on a family without them',
    on: 'gcp',
    change: ({ server }) => void (server.disk_type = 'hyperdisk-balanced'),
    at: 'data.server.disk_type',
    says: /cannot have disks of the type hyperdisk-balanced/,
  },
  {
    what: 'a disk on machines that have their own',
    on: 'maas',
    change: ({ server }) => void (server.volume_size = 100),
    at: 'data.server.volume_size',
    says: /built-in disks/,
  },
  {
    what: 'further disks on machines that have their own',
    on: 'maas',
    change: (data) => void (data.disks = [{ name: 'data', size: 100, type: '', id: '' }]),
    at: 'data.disks',
    says: /built-in disks/,
  },
]

const problems = async (cluster: CloudClusterInput, image: Image | null = null) => {
  const provider = cloudProviders[cluster.provider]
  const { sizes = [], regions = [] } = (await provider.catalogue()) ?? {}
  return impossibleIn({ ...provider, instanceSizes: sizes, regions }, cluster, image)
}

it.each(providerIds)('the sample of %s is possible', async (id) => {
  expect(await problems(clusterOf(id))).toEqual([])
})

describe('what can be known to be impossible is said on its field', () => {
  it.each(cases)('$on: $what', async ({ on, change, at, says, image }) => {
    const cluster = clusterOf(on)
    change(cluster.data, cluster)
    const found = await problems(cluster, image)
    expect(found.map(([path]) => path)).toContain(at)
    expect(found.find(([path]) => path === at)?.[1]).toMatch(says)
  })
})

describe('what is possible is not refused', () => {
  it.each(providerIds)('every zone that /api/providers lists, on %s', async (id) => {
    for (const { region_id, zones = [] } of (await cloudProviders[id].catalogue())?.regions ?? [])
      for (const { zone_id } of zones) {
        const cluster = clusterOf(id)
        // Oracle has a field of its own, and takes the specification's as well.
        cluster.data.network = { ...cluster.data.network, region_id, zone_id, availability_domain: '' }
        expect(await problems(cluster), `${zone_id} in ${region_id}`).toEqual([])
      }
  })

  it('a zone that is not listed but of the region, and one with the name of the tenancy', async () => {
    const aws = clusterOf('aws')
    for (const zone of ['us-east-1z', 'us-east-1-bos-1a']) {
      aws.data.network.zone_id = zone
      expect(await problems(aws)).toEqual([])
    }
    const oracle = clusterOf('oracle')
    oracle.data.network.availability_domain = 'Uocm:PHX-AD-1'
    expect(await problems(oracle)).toEqual([])
  })

  it('whole ids as the clouds write them', async () => {
    const azure = clusterOf('azure')
    const inGroup = '/subscriptions/0a-1b/resourceGroups/rg-1/providers/Microsoft.Network'
    Object.assign(azure.data.network, {
      network_id: `${inGroup}/virtualNetworks/net`,
      subnet_id: `${inGroup}/virtualNetworks/net/subnets/default`,
      security_group_id: `${inGroup}/networkSecurityGroups/ssh`,
      eip_id: `${inGroup}/publicIPAddresses/head`,
    })
    azure.data.resource_group_id = '/subscriptions/0a-1b/resourceGroups/rg-1'
    expect(await problems(azure)).toEqual([])
    const oracle = clusterOf('oracle')
    Object.assign(oracle.data.network, {
      vcn_id: 'ocid1.vcn.oc1.phx.aaaaaaaaexample1',
      subnet_id: 'ocid1.subnet.oc1..aaaaaaaaexample2',
    })
    expect(await problems(oracle)).toEqual([])
    const gcp = clusterOf('gcp')
    gcp.data.network.network_id = 'projects/p-1/global/networks/default'
    gcp.data.network.subnet_id =
      'https://www.googleapis.com/compute/v1/projects/p-1/regions/us-west1/subnetworks/s'
    expect(await problems(gcp)).toEqual([])
  })

  it('an image of one’s own on the head node, without a public one, if there are no nodes', async () => {
    const gcp = clusterOf('gcp')
    gcp.info['os-type'] = 'centos-7'
    gcp.data.server.image_name = 'projects/p/global/images/mine'
    gcp.data.node.group = []
    expect(await problems(gcp)).toEqual([])
    // A stack brings its own.
    expect(await problems({ ...clusterOf('gcp'), info: gcp.info }, { arch: null, disk: 0 })).toEqual([])
  })

  it.each(marketplace.filter(({ action }) => action === 'Launch'))(
    'what the marketplace launches: $name',
    async ({ platform, config }) => {
      const cluster = clusterOf(platform)
      cluster.info['os-type'] = config.os_types[0] ?? ''
      const [region_id = ''] = config.allowed_regions
      cluster.data.network = {
        ...cluster.data.network,
        region_id,
        zone_id: config.allowed_zones[0] ?? '',
      }
      const { publisher, offer, sku, marketplace_image_version } = config
      cluster.data.marketplace_image_reference = { publisher, offer, sku, marketplace_image_version }
      const image_name = config.marketplace_images[region_id]?.head_image_id ?? ''
      for (const size of config.instance_type) {
        Object.assign(cluster.data.server, { instance_id: size, image_name, volume_size: config.min_volume })
        Object.assign(group(cluster.data), { instance_id: config.computeNodeSize[0] })
        cluster.data.node.volume_size = config.min_volume
        expect(await problems(cluster), size).toEqual([])
      }
    },
  )

  it.each([
    ['gcp', 'tier1', 'n2-standard-32'],
    ['gcp', 'tier1', 'c3-standard-44'],
    ['gcp', 'tier1', 'c4-highmem-48'],
    ['gcp', 'compact', 'c2-standard-4'],
    ['gcp', 'compact', 'h3-standard-88'],
    ['oracle', 'rdma', 'BM.GPU4.8'],
    ['oracle', 'spot', 'VM.Standard.E4.Flex'],
    ['aws', 'spot', 'c5n.18xlarge'],
    ['oracle', 'rdma', 'BM.GPU.H100.8'],
  ] as const)('on %s, %s on %s', async (on, field, instance_id) => {
    const cluster = clusterOf(on)
    Object.assign(group(cluster.data), { instance_id, [field]: true })
    expect(await problems(cluster)).toEqual([])
  })

  it('the IOPS that disks of AWS get, at every size that they can have', () => {
    const { diskTypes } = cloudProviders.aws
    for (const { id, min, max } of diskTypes.filter(({ id: type }) => type.startsWith('io')))
      for (const size of [min, 60, 61, max]) {
        const cluster = clusterOf('aws')
        cluster.data.disks = [{ name: 'data', size, type: id, id: '' }]
        const iops = awsVariables(deploymentOf(cluster)).disks.data?.iops ?? 0
        expect(iops, `${id} ${size}`).toBeGreaterThanOrEqual(100)
        expect(iops, `${id} ${size}`).toBeLessThanOrEqual(Math.min(64_000, 50 * size))
      }
  })
})
