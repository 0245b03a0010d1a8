import { lossesOfOptions } from '@flotilla/contract/clusters/impossible/machines'
import { providerIds } from '@flotilla/contract/site/config'
import { marketplace } from '@flotilla/contract/stacks/marketplace'
import { describe, expect, it } from 'vitest'
import { cloudProviders } from './registry'
import { variables as awsVariables } from './aws/variables'
import { clusterOf, deploymentOf } from '../../test/support/modules/deployment'
import { group, problems } from '../../test/support/modules/impossible'

it.each(providerIds)('the sample of %s is possible', async (id) => {
  expect(await problems(clusterOf(id))).toEqual([])
})

describe('possible settings are accepted:', () => {
  it.each(providerIds)('every zone that /api/providers lists, on %s', async (id) => {
    for (const { region_id, zones = [] } of (await cloudProviders[id].catalog())?.regions ?? [])
      for (const { zone_id } of zones) {
        const cluster = clusterOf(id)
        // Oracle has a field of its own, and also accepts the specification's field.
        cluster.data.network = { ...cluster.data.network, region_id, zone_id, availability_domain: '' }
        expect(await problems(cluster), `${zone_id} in ${region_id}`).toEqual([])
      }
  })

  it('an unlisted zone of the region, and one with the tenancy’s prefix', async () => {
    const aws = clusterOf('aws')
    for (const zone of ['us-east-1z', 'us-east-1-bos-1a', 'us-east-1-wl1-bos-wlz-1']) {
      aws.data.network.zone_id = zone
      expect(await problems(aws)).toEqual([])
    }
    const oracle = clusterOf('oracle')
    oracle.data.network.availability_domain = 'Uocm:PHX-AD-1'
    expect(await problems(oracle)).toEqual([])
  })

  it('a firewall with only its subnet, and one of Azure without a network', async () => {
    const aws = clusterOf('aws')
    Object.assign(aws.data.network, { subnet_id: 'subnet-0a1b2c3d', security_group_id: 'sg-0a1b2c3d' })
    expect(await problems(aws)).toEqual([])
    const azure = clusterOf('azure')
    azure.data.network.security_group_id =
      '/subscriptions/1/resourceGroups/a/providers/Microsoft.Network/networkSecurityGroups/ssh'
    expect(await problems(azure)).toEqual([])
  })

  it('full ids in the clouds’ own formats', async () => {
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
    for (const image of [
      'golden',
      'family/golden',
      'debian-cloud/debian-12',
      'projects/p/global/images/family/x',
    ]) {
      gcp.data.server.image_name = image
      expect(await problems(gcp)).toEqual([])
    }
    gcp.data.network.network_id = 'projects/p-1/global/networks/default'
    gcp.data.network.subnet_id =
      'https://www.googleapis.com/compute/v1/projects/p-1/regions/us-west1/subnetworks/s'
    expect(await problems(gcp)).toEqual([])
  })

  it('the user’s own image on the head node without a public image, if there are no nodes', async () => {
    const gcp = clusterOf('gcp')
    gcp.info['os-type'] = 'centos-7'
    gcp.data.server.image_name = 'projects/p/global/images/mine'
    gcp.data.node.group = []
    expect(await problems(gcp)).toEqual([])
    // A stack has its own image.
    expect(await problems({ ...clusterOf('gcp'), info: gcp.info }, { arch: null, disk: 0 })).toEqual([])
  })

  it.each(marketplace.filter(({ action }) => action === 'Launch'))(
    'marketplace entry $name',
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
    ['azure', 'spot', 'Standard_HB120rs_v3'],
  ] as const)('on %s, %s on %s', async (on, field, instance_id) => {
    const cluster = clusterOf(on)
    Object.assign(group(cluster.data), { instance_id, [field]: true })
    expect(await problems(cluster)).toEqual([])
  })

  it('spot machines of Azure with InfiniBand, with a warning that it is missing', () => {
    const { azure } = cloudProviders
    const rules = { ...azure, instanceSizes: [] }
    const losses = (instance_id: string, spot: boolean) =>
      lossesOfOptions(rules, { ...group(clusterOf('azure').data), instance_id, spot })
    expect(losses('Standard_HB120rs_v3', true)).toEqual([
      ['spot', expect.stringContaining('Standard_HB120rs_v3 has no InfiniBand as a spot machine')],
    ])
    expect(losses('Standard_HB120rs_v3', false)).toEqual([])
    for (const size of ['Standard_D4s_v5', 'Standard_NC24ads_A100_v4', 'Standard_E8-4s_v5'])
      expect(losses(size, true)).toEqual([])
  })

  it.each([
    ['aws', 'sa-nowhere-9'],
    ['azure', 'usgovnowhere'],
    ['gcp', 'africa-nowhere9'],
    ['oracle', 'us-nowhere-1'],
  ] as const)('on %s the region %s, which may be new', async (id, region_id) => {
    const cluster = clusterOf(id)
    Object.assign(cluster.data.network, { region_id, zone_id: '', availability_domain: '' })
    expect((await problems(cluster)).map(([path]) => path)).not.toContain('data.network.region_id')
  })

  it.each(['projects/lab/regions/us-west1/disks/data', 'projects/lab/zones/us-west1-b/disks/data', 'data'])(
    'the disk %s on GCP',
    async (id) => {
      const cluster = clusterOf('gcp')
      Object.assign(cluster.data.network, { region_id: 'us-west1', zone_id: 'us-west1-b' })
      cluster.data.disks = [{ name: 'data', size: 0, type: '', id }]
      expect(await problems(cluster)).toEqual([])
    },
  )

  it('the IOPS of AWS disks, at every possible size', () => {
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
