import { group, itReportsImpossible, type Impossible, type Data } from '../../test/support/modules/impossible'

const cases: Impossible[] = [
  // Networks
  ...(
    [
      ['gcp', 'tier1', 'n1-standard-96', /n1-standard-96 has no Tier_1 networking/],
      ['gcp', 'tier1', 'n2-standard-16', /Choose an n2, c2, c3 or c4 size with more vCPUs/],
      ['gcp', 'tier1', 'c4-standard-32', /c4-standard-32 has no Tier_1/],
      ['gcp', 'compact', 'e2-standard-32', /e2-standard-32 does not support compact placement/],
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
      ['aws', '10.77.00.20', /IPv4/],
      ['azure', '10.77.0.0', /from 10\.77\.0\.4/],
      ['azure', '10.77.255.255', /to 10\.77\.255\.254/],
      ['gcp', '10.77.255.254', /to 10\.77\.255\.253/],
      ['oracle', '10.77.127.255', /to 10\.77\.127\.254/],
    ] as const
  ).map(([on, address, says]) => ({
    what: `the address ${address}`,
    on,
    change: ({ network }: Data) => void (network.private_static_ip = address),
    at: 'data.network.private_static_ip',
    says,
  })),
  {
    what: 'an address outside the cluster’s own range',
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
    what: 'an address in a subnet that is to be created in an existing network',
    on: 'aws',
    change: ({ network }) =>
      Object.assign(network, { vpc_id: 'vpc-0a1b2c3d', private_static_ip: '172.31.0.9' }),
    at: 'data.network.private_static_ip',
    says: /Enter the subnet/,
  },
  {
    what: 'an address in the public subnet for a private head node',
    on: 'aws',
    change: ({ network, server }) => {
      server.isPrivate = true
      network.private_static_ip = '10.77.0.9'
    },
    at: 'data.network.private_static_ip',
    says: /from 10\.77\.128\.4 to 10\.77\.255\.254/,
  },
  {
    what: 'an invalid range',
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
  ...(
    [
      ['aws', 'us-east-1-a'],
      ['aws', 'us-east-1zz'],
      ['aws', 'us-east-1-x; reboot'],
      ['gcp', 'us-west1-zz9'],
      ['gcp', 'us-west10-a'],
    ] as const
  ).map(([on, zone]) => ({
    what: `the zone ${zone}, which does not exist`,
    on,
    change: ({ network }: Data) => void (network.zone_id = zone),
    at: 'data.network.zone_id',
    says: /is not in .*Choose /,
  })),
  ...(['aws', 'azure', 'gcp', 'oracle'] as const).map((on) => ({
    what: 'an impossible region',
    on,
    change: ({ network }: Data) => void (network.region_id = 'the_moon!'),
    at: 'data.network.region_id',
    says: /^No region named the_moon!$/,
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
      ['maas', 'zone_name', 'rack; reboot'],
      ['gcp', 'fip_address', '10.0.0.9'],
      ['gcp', 'fip_address', '172.20.0.9'],
    ] as const
  ).map(([on, field, value]) => ({
    what: `${field} ${value}`,
    on,
    change: ({ network }: Data) => void (network[field] = value),
    at: `data.network.${field}`,
    says: /^Enter a value such as /,
  })),
  ...(
    [
      ['aws', 'security_group_id', 'sg-0a1b2c3d'],
      ['oracle', 'security_group_id', 'ocid1.networksecuritygroup.oc1.phx.aaaa'],
      ['gcp', 'firewall_id', 'allow-ssh'],
    ] as const
  ).map(([on, field, value]) => ({
    what: 'a firewall of a network that is not given',
    on,
    change: ({ network }: Data) => void (network[field] = value),
    at: `data.network.${field}`,
    says: /^Also enter the network/,
  })),
  {
    what: 'a range that does not begin at its first address',
    on: 'maas',
    change: ({ network }) => Object.assign(network, { network_id: 'eno1', subnet_id: '10.4.0.1/24' }),
    at: 'data.network.subnet_id',
    says: /first address of the range/,
  },
  {
    what: 'an invalid image',
    on: 'gcp',
    change: ({ server }) => void (server.image_name = 'my image'),
    at: 'data.server.image_name',
    says: /such as projects/,
  },
  {
    what: 'an invalid shape',
    on: 'maas',
    change: ({ server }) => void (server.instance_id = 'c5n.large'),
    at: 'data.server.instance_id',
    says: /such as tag:gpu/,
  },
  {
    what: 'an invalid image',
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
    what: 'a service account that is not an email address',
    on: 'gcp',
    change: (data) => void (data.service_account = 'me'),
    at: 'data.service_account',
    says: /such as/,
  },
]

itReportsImpossible(cases)
