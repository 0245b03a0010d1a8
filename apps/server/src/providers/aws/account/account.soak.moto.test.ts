import {
  AllocateAddressCommand,
  CreateImageCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
  DescribeSubnetsCommand,
  EC2Client,
  RunInstancesCommand,
  type ResourceType,
} from '@aws-sdk/client-ec2'
import { EXISTING_DISK, EXISTING_FILE_SYSTEM } from '@flotilla/contract/clouds/account-choices'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { choicesOf } from '../../../../test/support/clouds/account-choices'
import { startMoto, type Moto } from '../../../../test/support/clouds/moto'
import { makeAwsCluster, REGION } from '../../../../test/support/clouds/moto-cluster'
import { explain } from '../../explain'
import type { CredentialData } from '../../fields/credential-data'
import type { CountedMachine } from '../../quota/quota'
import { cloudProviders } from '../../registry'
import { settingsOf } from '../clients'
import { ADDRESSES, VPCS } from './quota-codes'

const named = (ResourceType: ResourceType, Value: string) => [
  { ResourceType, Tags: [{ Key: 'Name', Value }] },
]
const NO_ONE = { access_key: 'AKIAEXAMPLE', secret_key: 'example-secret-key' }
const STANDARD = 'L-1216C47A'
let moto: Moto
let ec2: EC2Client
beforeAll(async () => {
  moto = await startMoto()
  ec2 = new EC2Client(settingsOf(options(NO_ONE)))
  moto.quotas = {
    [STANDARD]: { QuotaName: 'Running On-Demand Standard instances', Value: 32 },
    'L-3819A6DF': { QuotaName: 'All G and VT Spot Instance Requests', Value: 0 },
    [ADDRESSES]: { QuotaName: 'EC2-VPC Elastic IPs', Value: 5 },
  }
})
afterAll(() => moto.close())
const options = (credential: CredentialData) => ({ credential, region: REGION, endpoint: moto.url })
const driverFor = (credential: CredentialData = NO_ONE) => cloudProviders.aws.driver(options(credential))
const quotas = async (credential: CredentialData, machines: CountedMachine[]) =>
  (await driverFor(credential)).quotas?.(machines, '')
const machine = (instance_id: string, cores: number, spot = false): CountedMachine => ({
  instance_id,
  ocpus: 0,
  mem: 0,
  spot,
  cores,
  gpus: 0,
  gpuModel: '',
  accelerator: '',
})

test("the account's quotas, and what its running machines use of them", async () => {
  const more = { ImageId: 'ami-12c6146b', MinCount: 3, MaxCount: 3 }
  await ec2.send(new RunInstancesCommand({ InstanceType: 'm5.xlarge', ...more }))
  const found = await quotas(NO_ONE, [machine('c5.2xlarge', 8), machine('g5.xlarge', 4, true)])
  expect(found?.machines).toEqual([{ [STANDARD]: 8 }, { 'L-3819A6DF': 4 }])
  expect(found?.quotas[STANDARD]).toEqual({
    name: 'Running On-Demand Standard instances',
    unit: 'vCPUs',
    limit: 32,
    // moto's machines have one core with one thread.
    used: 3,
    link: `https://${REGION}.console.aws.amazon.com/servicequotas/home/services/ec2/quotas/${STANDARD}`,
  })
  expect(found?.quotas[VPCS]).toMatchObject({ name: 'VPCs per Region', limit: 5, used: 1 })
  expect(found?.quotas[ADDRESSES]).toMatchObject({ limit: 5, used: 0 })
})

test('an unknown quota does not affect the others', async () => {
  const found = await quotas(NO_ONE, [machine('c5.2xlarge', 8), machine('trn1.2xlarge', 8)])
  expect(found?.machines).toEqual([{ [STANDARD]: 8 }, 'No quota is known for trn1.2xlarge.'])
})

test('calls have valid signatures, and are rejected for keys without the permission', async () => {
  const reader = await moto.person('reader', ['ec2:Describe*', 'servicequotas:GetServiceQuota'])
  const other = await moto.person('other', ['ec2:Describe*'])
  await moto.checkRights(true)
  const [wrongKey, noRight] = await Promise.all(
    [{ ...reader, secret_key: 'not this one' }, other].map((keys) =>
      quotas(keys, []).catch((error: unknown) => explain('AWS', error, String).kind),
    ),
  )
  const found = await quotas(reader, [])
  await moto.checkRights(false)
  expect(found?.quotas[VPCS]?.limit).toBe(5)
  expect([wrongKey, noRight]).toEqual(['refused', 'rights'])
})

test('offers the account’s resources as choices for the fields', async () => {
  await moto.checkRights(false)
  const cluster = await driverFor()
  const { Vpc } = await ec2.send(
    new CreateVpcCommand({ CidrBlock: '10.9.0.0/16', TagSpecifications: named('vpc', 'lab') }),
  )
  const choices = (field: string) => choicesOf(cluster, field)
  const inVpc = { about: expect.stringContaining('vpc-'), within: expect.stringMatching(/^vpc-/) }
  expect(await choices('data.network.vpc_id')).toContainEqual({
    id: Vpc?.VpcId,
    name: 'lab',
    about: '10.9.0.0/16',
  })
  expect(await choices('data.network.subnet_id')).toContainEqual({
    id: expect.stringMatching(/^subnet-/),
    name: '',
    ...inVpc,
    about: expect.stringContaining('us-east-1a'),
    zones: ['us-east-1a'],
    range: expect.stringMatching(/^\d.*\/\d+$/),
  })
  expect(await choices('data.network.security_group_id')).toContainEqual({
    id: expect.stringMatching(/^sg-/),
    name: 'default',
    ...inVpc,
  })
  const kept = await ec2.send(
    new CreateVolumeCommand({
      AvailabilityZone: 'us-east-1b',
      Size: 40,
      VolumeType: 'gp3',
      TagSpecifications: named('volume', 'genomes'),
    }),
  )
  expect(await choices(EXISTING_DISK)).toContainEqual({
    id: kept.VolumeId,
    name: 'genomes',
    about: '40 GB, gp3, us-east-1b',
    zones: ['us-east-1b'],
  })
  const { AllocationId } = await ec2.send(new AllocateAddressCommand({ Domain: 'vpc' }))
  expect((await choices('data.network.eip_id'))?.map(({ id }) => id)).toContain(AllocationId)
  expect(await choices('data.manager')).toBeUndefined()

  const [pictured = ''] = (await makeAwsCluster(ec2, 'pictured')).machines
  const { ImageId } = await ec2.send(new CreateImageCommand({ InstanceId: pictured, Name: 'golden' }))
  // Only this account's images, not public ones.
  expect(await choices('data.server.image_name')).toEqual([
    { id: ImageId, name: 'golden', about: expect.stringMatching(/^x86_64, \d{4}-\d\d-\d\d/), arch: 'x86_64' },
  ])
})

test('offers all instance profiles, or reports the missing permission', async () => {
  await moto.checkRights(false)
  const names = ['batch', 'cluster-nodes', 'web']
  for (const name of names) await moto.instanceProfile(name)
  const rolesOf = async (keys?: CredentialData) => choicesOf(await driverFor(keys), 'data.ec2_role')
  const found = await rolesOf()
  expect(found).toContainEqual({ id: 'batch', name: '', about: 'role batch' })
  expect(found?.map(({ id }) => id).toSorted()).toEqual(names)

  const looker = await moto.person('ec2only', ['ec2:*'])
  const reader = await moto.person('profile-reader', ['iam:ListInstanceProfiles'])
  await moto.checkRights(true)
  // moto accepts the signature, and rejects the call only for the missing permission.
  expect(await rolesOf(reader)).toHaveLength(names.length)
  const refused = await rolesOf(looker).catch((error: unknown) => error)
  expect(explain('AWS', refused, String, 'iam:ListInstanceProfiles')).toMatchObject({
    kind: 'rights',
    message: expect.stringContaining('lacks the permission iam:ListInstanceProfiles'),
  })
  const wrong = await rolesOf({ ...reader, secret_key: 'another' }).catch((error: unknown) => error)
  expect(explain('AWS', wrong, String)).toMatchObject({ kind: 'refused' })
})

test('offers the file systems that machines can mount', async () => {
  await moto.checkRights(false)
  const call = async (service: string, path: string, body: object, target = '') => {
    const answer = await fetch(new URL(path, moto.url), {
      method: 'POST',
      headers: {
        'content-type': target ? 'application/x-amz-json-1.1' : 'application/json',
        ...(target && { 'x-amz-target': target }),
        authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/${REGION}/${service}/aws4_request, SignedHeaders=host, Signature=0`,
      },
      body: JSON.stringify(body),
    })
    return (await answer.json()) as Record<string, unknown>
  }
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({}))
  const [{ SubnetId = '' } = {}] = Subnets
  const efs = (name: string) =>
    call('elasticfilesystem', '/2015-02-01/file-systems', {
      CreationToken: name,
      Tags: [{ Key: 'Name', Value: name }],
    })
  const { FileSystemId } = await efs('home')
  await call('elasticfilesystem', '/2015-02-01/mount-targets', { FileSystemId, SubnetId })
  // A file system without a mount target, which no network can connect to, is omitted.
  await efs('lonely')
  const simba = 'AWSSimbaAPIService_v20180301.CreateFileSystem'
  const fsx = (FileSystemType: string) =>
    call(
      'fsx',
      '/',
      {
        FileSystemType,
        StorageCapacity: 1200,
        SubnetIds: [SubnetId],
        // AWS generates the name; moto uses the one in the request.
        LustreConfiguration: { MountName: 'abcdefgh' },
      },
      simba,
    )
  await fsx('LUSTRE')
  await fsx('WINDOWS')

  const reader = await moto.person('file-reader', ['elasticfilesystem:DescribeFileSystems'])
  await moto.checkRights(true)
  const found = await choicesOf(await driverFor(reader), EXISTING_FILE_SYSTEM.nfs)
  const refused = await choicesOf(await driverFor(reader), EXISTING_FILE_SYSTEM.lustre).catch(
    (error: unknown) => explain('AWS', error, String, 'fsx:DescribeFileSystems'),
  )
  await moto.checkRights(false)
  expect(found).toEqual([
    { id: `${String(FileSystemId)}.efs.${REGION}.amazonaws.com:/`, name: 'home', about: 'EFS' },
  ])
  expect(refused).toMatchObject({
    kind: 'rights',
    message: expect.stringContaining('lacks the permission fsx:DescribeFileSystems'),
  })
  const lustre = await choicesOf(await driverFor(), EXISTING_FILE_SYSTEM.lustre)
  expect(lustre).toEqual([
    {
      id: expect.stringMatching(/^fs-\w+\.fsx\.us-east-1\.amazonaws\.com@tcp:\/\w+$/),
      name: '',
      about: expect.stringContaining('FSx for Lustre, 1200 GB'),
    },
  ])
})
