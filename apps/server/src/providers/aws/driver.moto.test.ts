import { DescribeInstancesCommand, DescribeVolumesCommand, EC2Client } from '@aws-sdk/client-ec2'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startMoto, type Moto } from '../../../test/support/clouds/moto'
import { pricedMachine } from '../../../test/support/clouds/moto-extension'
import { makeAwsCluster, REGION } from '../../../test/support/clouds/moto-cluster'
import { removeAllFound } from '../../../test/support/clouds/remove-all'
import { soakIt } from '../../../test/support/soak'
import { explain } from '../explain'
import type { CredentialData } from '../fields/credential-data'
import type { FoundResource } from '../provider'
import { cloudProviders } from '../registry'
import { settingsOf } from './clients'

const noOnesKeys = { access_key: 'AKIAEXAMPLE', secret_key: 'example-secret-key' }
const never = new AbortController().signal
let moto: Moto
let ec2: EC2Client
const options = (credential: CredentialData = noOnesKeys) => ({
  credential,
  region: REGION,
  endpoint: moto.url,
  pollMs: 20,
})
const driverFor = (credential?: CredentialData) => cloudProviders.aws.driver(options(credential))
beforeAll(async () => {
  moto = await startMoto()
  ec2 = new EC2Client(settingsOf(options()))
})
afterAll(() => moto.close())

const states = async (InstanceIds: string[]) => {
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ InstanceIds }))
  return Reservations.flatMap(({ Instances = [] }) => Instances.map(({ State }) => State?.Name))
}

describe('the identity of a key', () => {
  beforeEach(() => moto.checkRights(false))

  soakIt('is reported with its permissions', async () => {
    const { account, missing, checked } = await (await driverFor()).whoAmI()
    expect(account).toMatch(/^arn:aws:sts::\d{12}:.* in account \d{12}$/)
    expect(missing).toEqual([])
    expect(checked).toContain('ec2:RunInstances, to create machines')
    expect(checked).toHaveLength(19)
  })

  it('is reported with the missing permissions', async () => {
    const keys = await moto.person('looker', ['ec2:Describe*', 'ec2:StopInstances', 'ec2:StartInstances'])
    await moto.checkRights(true)
    const { account, missing, optional } = await (await driverFor(keys)).whoAmI()
    expect(account).toContain('user/looker')
    expect(missing).toContain('ec2:RunInstances, to create machines')
    expect(missing).toContain('ec2:CreateVpc, to create networks')
    expect(missing).toContain('ec2:CreateNatGateway, to give nodes internet access')
    // Permissions that deploying does not need.
    expect(optional?.toSorted()).toEqual([
      'ec2:CancelSpotInstanceRequests, to use spot machines',
      'ec2:RunInstances with the market type spot, to use spot machines',
      'servicequotas:GetServiceQuota, to check quotas',
    ])
    expect(missing.join()).not.toMatch(/Describe|StopInstances|StartInstances/)
  })

  it('is not reported for invalid keys, which is explained', async () => {
    const keys = await moto.person('somebody', ['*'])
    await moto.checkRights(true)
    for (const wrong of [noOnesKeys, { ...keys, secret_key: 'not this one' }]) {
      const refused = await (await driverFor(wrong)).whoAmI().catch((error: unknown) => error)
      expect(explain('AWS', refused, String)).toMatchObject({ kind: 'refused' })
    }
    expect((await (await driverFor(keys)).whoAmI()).account).toContain('user/somebody')
  })

  it('is not reported if the endpoint does not respond', async () => {
    const nowhere = await cloudProviders.aws.driver({ ...options(), endpoint: 'http://127.0.0.1:9' })
    const failed = await nowhere.whoAmI().catch((error: unknown) => error)
    expect(explain('AWS', failed, String)).toMatchObject({ kind: 'unreachable' })
  })
})

describe('a cluster', () => {
  let made: Awaited<ReturnType<typeof makeAwsCluster>>
  let found: FoundResource[]
  beforeAll(async () => {
    await moto.checkRights(false)
    made = await makeAwsCluster(ec2, 'first')
    await makeAwsCluster(ec2, 'second')
  })

  it('is found by its tag, without resources that are deleted with its machines', async () => {
    found = await (await driverFor()).find('first')
    const count = (type: string) => found.filter((one) => one.type === type).length
    expect(Object.fromEntries(found.map(({ type }) => [type, count(type)]))).toEqual({
      aws_instance: 2,
      aws_ebs_volume: 1,
      aws_eip: 2,
      aws_key_pair: 1,
      aws_launch_template: 1,
      aws_placement_group: 1,
      aws_nat_gateway: 1,
      aws_network_interface: 1,
      aws_route_table: 1,
      aws_subnet: 2,
      aws_internet_gateway: 1,
      aws_security_group: 1,
      aws_vpc: 1,
    })
    // The machines' boot disks also have the tag.
    const { Volumes = [] } = await ec2.send(new DescribeVolumesCommand({}))
    expect(Volumes.length).toBeGreaterThan(4)
    expect(found.every(({ clusterId, region }) => clusterId === 'first' && region === REGION)).toBe(true)
    expect(found.find(({ type }) => type === 'aws_instance')).toMatchObject({
      id: made.machines[0],
      kind: 'machine',
      name: 'head',
      machine: { instance_id: 't3.large' },
    })
    expect(found.find(({ kind }) => kind === 'volume')).toMatchObject({
      id: made.volume,
      name: 'data',
      sizeGb: 20,
      diskType: 'gp3',
    })
  })

  it('is found among all clusters', async () => {
    const clusters = (await (await driverFor()).find(null)).map(({ clusterId }) => clusterId)
    expect(clusters.filter((id) => id === 'first')).toHaveLength(found.length)
    expect(clusters.filter((id) => id === 'second')).toHaveLength(found.length)
    expect(await (await driverFor()).find('third')).toEqual([])
  })

  it('is stopped and started, also repeatedly', async () => {
    const driver = await driverFor()
    for (const _time of [1, 2]) {
      await driver.stop(made.machines, never)
      expect(await states(made.machines)).toEqual(['stopped', 'stopped'])
    }
    for (const _time of [1, 2]) {
      await driver.start(made.machines, never)
      expect(await states(made.machines)).toEqual(['running', 'running'])
    }
    await expect(driver.stop(['i-0123456789abcdef0'], never)).rejects.toMatchObject({
      name: 'InvalidInstanceID.NotFound',
    })
    await expect(driver.stop(made.machines, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    })
  })

  it('supports fast restore of its image’s snapshots', async () => {
    const { fastRestore } = await driverFor()
    await fastRestore?.set(made.image, ['us-east-1a', 'us-east-1b'], true)
    expect(await fastRestore?.state(made.image)).toEqual([
      { zone: 'us-east-1a', state: 'enabling' },
      { zone: 'us-east-1b', state: 'enabling' },
    ])
    await fastRestore?.set(made.image, ['us-east-1b'], false)
    expect(await fastRestore?.state(made.image)).toContainEqual({ zone: 'us-east-1b', state: 'disabling' })
    await expect(fastRestore?.set(made.image, ['us-east-1f'], true)).rejects.toThrow('not yours')
    await expect(fastRestore?.set('ami-00000000000000000', ['us-east-1a'], true)).rejects.toMatchObject({
      name: 'InvalidAMIID.NotFound',
    })
  })

  it('can be removed one resource at a time, and missing resources count as removed', async () => {
    const driver = await driverFor()
    const [volume] = found.filter(({ kind }) => kind === 'volume')
    // The disk is still attached.
    if (volume) await driver.remove(volume, never)
    expect((await driver.find('first')).map(({ id }) => id)).not.toContain(made.volume)
    await removeAllFound(driver, 'first')
    expect(await driver.find('first')).toEqual([])
    for (const one of found) await driver.remove(one, never)
    expect(await driver.find('second')).toHaveLength(found.length)
    await removeAllFound(driver, 'second')
    expect(await driver.find(null)).toEqual([])
  })
})

describe('sizes', () => {
  it('determine the zone if none is chosen: it must offer all of them', async () => {
    const { zoneFor } = await driverFor()
    expect(await zoneFor?.(['t3.large', 't3.large', 'c5n.18xlarge'])).toMatch(new RegExp(`^${REGION}[a-z]$`))
    await expect(zoneFor?.(['t3.large', 'nosuch.size'])).rejects.toThrow(/No zone of .* nosuch\.size in none/)
  })

  soakIt('come from AWS, with prices if the key may read them', async () => {
    moto.priceList = [
      pricedMachine('t3.large', REGION, '0.0832'),
      pricedMachine('p4d.24xlarge', REGION, '21.957642'),
    ]
    const { sizes, prices, source } = (await (await driverFor()).sizes?.()) ?? {}
    expect(sizes?.length).toBeGreaterThan(400)
    const size = (id: string) => sizes?.find(({ instance_id }) => instance_id === id)
    expect(size('t3.large')).toEqual({
      name: 't3.large',
      instance_id: 't3.large',
      cores: 2,
      memory: 8,
      arch: 'x86_64',
    })
    expect(size('p4d.24xlarge')).toMatchObject({
      cores: 96,
      gpus: 8,
      gpuModel: 'NVIDIA A100',
      efa: true,
      efaInterfaces: 4,
    })
    expect(size('c5n.18xlarge')).toMatchObject({ efa: true })
    expect(size('c5n.18xlarge')).not.toHaveProperty('efaInterfaces')
    // The size's first network card has no adapter.
    expect(size('p6-b300.48xlarge')).not.toHaveProperty('efa')
    expect(size('c6g.large')).toMatchObject({ arch: 'arm64' })
    expect(prices).toEqual({ 't3.large': 0.0832, 'p4d.24xlarge': 21.957642 })
    expect(source).toContain('price list')
  })
})
