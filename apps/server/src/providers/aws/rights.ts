import {
  AllocateAddressCommand,
  CancelSpotInstanceRequestsCommand,
  CreateInternetGatewayCommand,
  CreateLaunchTemplateCommand,
  CreateNatGatewayCommand,
  CreatePlacementGroupCommand,
  CreateSecurityGroupCommand,
  CreateTagsCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
  DescribeAvailabilityZonesCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeSpotInstanceRequestsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  type EC2Client,
  ImportKeyPairCommand,
  RunInstancesCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2'
import { GetCallerIdentityCommand, type STSClient } from '@aws-sdk/client-sts'
import { makeSshKey } from '../../ssh-key'
import type { DriverOptions, WhoAmI } from '../provider'
import { publicImages } from './images'
import { VPCS } from './account/quota-codes'
import { readQuota } from './account/service-quotas'

/** A well-formed id that does not exist. */
const NO_MACHINE = 'i-00000000000000000'
const NO_REQUEST = 'sir-00000000'
const NO_ONE = 'flotilla-dry-run'
const QUOTAS = 'servicequotas:GetServiceQuota'
/** The purpose of permissions that a cluster can do without. */
const SPOT = 'to use spot machines'

/** The required permissions, each with a dry-run call that AWS authorizes without carrying it out. */
const needs = (
  ec2: EC2Client,
  { zone, image, subnet }: Existing,
  options: DriverOptions,
): [string, string, () => Promise<unknown>][] => {
  const DryRun = true
  const oneMachine = { DryRun, ImageId: image, InstanceType: 't3.micro', MinCount: 1, MaxCount: 1 } as const
  const someKey = Buffer.from(makeSshKey(NO_ONE).publicKey)
  return [
    ['ec2:DescribeInstances', 'to list machines', () => ec2.send(new DescribeInstancesCommand({ DryRun }))],
    ['ec2:DescribeVolumes', 'to list disks', () => ec2.send(new DescribeVolumesCommand({ DryRun }))],
    ['ec2:RunInstances', 'to create machines', () => ec2.send(new RunInstancesCommand(oneMachine))],
    [
      'ec2:StopInstances',
      'to stop machines',
      () => ec2.send(new StopInstancesCommand({ DryRun, InstanceIds: [NO_MACHINE] })),
    ],
    [
      'ec2:StartInstances',
      'to start machines',
      () => ec2.send(new StartInstancesCommand({ DryRun, InstanceIds: [NO_MACHINE] })),
    ],
    [
      'ec2:TerminateInstances',
      'to delete machines',
      () => ec2.send(new TerminateInstancesCommand({ DryRun, InstanceIds: [NO_MACHINE] })),
    ],
    [
      'ec2:CreateTags',
      'to find created resources',
      () =>
        ec2.send(
          new CreateTagsCommand({ DryRun, Resources: [NO_MACHINE], Tags: [{ Key: NO_ONE, Value: '' }] }),
        ),
    ],
    [
      'ec2:ImportKeyPair',
      'to log in to machines',
      () => ec2.send(new ImportKeyPairCommand({ DryRun, KeyName: NO_ONE, PublicKeyMaterial: someKey })),
    ],
    [
      'ec2:CreateVolume',
      'to create disks',
      () => ec2.send(new CreateVolumeCommand({ DryRun, AvailabilityZone: zone, Size: 1 })),
    ],
    [
      'ec2:CreateVpc',
      'to create networks',
      () => ec2.send(new CreateVpcCommand({ DryRun, CidrBlock: '10.77.0.0/16' })),
    ],
    [
      'ec2:CreateInternetGateway',
      'to reach the head node',
      () => ec2.send(new CreateInternetGatewayCommand({ DryRun })),
    ],
    [
      'ec2:CreateNatGateway',
      'to give nodes internet access',
      () =>
        // A private gateway needs no address for the dry run.
        ec2.send(new CreateNatGatewayCommand({ DryRun, SubnetId: subnet, ConnectivityType: 'private' })),
    ],
    [
      'ec2:AllocateAddress',
      'to give the head node an address',
      () => ec2.send(new AllocateAddressCommand({ DryRun, Domain: 'vpc' })),
    ],
    [
      'ec2:CreateSecurityGroup',
      'to create firewalls',
      () => ec2.send(new CreateSecurityGroupCommand({ DryRun, GroupName: NO_ONE, Description: NO_ONE })),
    ],
    [
      'ec2:CreatePlacementGroup',
      'to place nodes with fast networks close together',
      () => ec2.send(new CreatePlacementGroupCommand({ DryRun, GroupName: NO_ONE, Strategy: 'cluster' })),
    ],
    [
      'ec2:CreateLaunchTemplate',
      'to create nodes with several Elastic Fabric Adapters',
      () =>
        ec2.send(
          new CreateLaunchTemplateCommand({
            DryRun,
            LaunchTemplateName: NO_ONE,
            LaunchTemplateData: { InstanceType: 't3.micro' },
          }),
        ),
    ],
    [
      'ec2:RunInstances with the market type spot',
      SPOT,
      () =>
        ec2.send(new RunInstancesCommand({ ...oneMachine, InstanceMarketOptions: { MarketType: 'spot' } })),
    ],
    [
      'ec2:DescribeSpotInstanceRequests',
      SPOT,
      () => ec2.send(new DescribeSpotInstanceRequestsCommand({ DryRun })),
    ],
    [
      'ec2:CancelSpotInstanceRequests',
      SPOT,
      () => ec2.send(new CancelSpotInstanceRequestsCommand({ DryRun, SpotInstanceRequestIds: [NO_REQUEST] })),
    ],
    [QUOTAS, 'to check quotas', () => readQuota(options, 'vpc', VPCS)],
  ]
}

const isRefusal = (error: unknown) =>
  error instanceof Error && /^(UnauthorizedOperation|AccessDenied\w*)$/.test(error.name)
/**
 * EC2 returns such an error for an authorized call that cannot be checked, for example if there is no network for the
 * resource.
 */
const isAboutTheCall = (error: unknown) =>
  error instanceof Error && '$fault' in error && error.$fault === 'client' && error.name !== 'AuthFailure'

export async function whoAmI(ec2: EC2Client, sts: STSClient, options: DriverOptions): Promise<WhoAmI> {
  const { Arn = '', Account = '' } = await sts.send(new GetCallerIdentityCommand({}))
  const existing = await findExisting(ec2)
  const checked: string[] = []
  const missing: string[] = []
  const optional: string[] = []
  await Promise.all(
    needs(ec2, existing, options).map(async ([right, what, tryIt]) => {
      const text = `${right}, ${what}`
      try {
        await tryIt()
        // The call does not create anything, so it is only reported if the permission is missing.
        if (right !== QUOTAS) checked.push(text)
      } catch (error) {
        if (isRefusal(error)) (right === QUOTAS || what === SPOT ? optional : missing).push(text)
        else if (error instanceof Error && error.name === 'DryRunOperation') checked.push(text)
        else if (!isAboutTheCall(error)) throw error
      }
    }),
  )
  return {
    account: `${Arn} in account ${Account}`,
    missing,
    optional,
    checked: [...checked, ...missing, ...optional],
  }
}

type Existing = { zone: string; image: string; subnet: string }

/**
 * Finds an existing zone, image and subnet; without them, AWS would report their absence instead of the missing
 * permission.
 */
async function findExisting(ec2: EC2Client): Promise<Existing> {
  const { owners = [], names = [] } = publicImages['ubuntu-22.04'] ?? {}
  const pending = Promise.all([
    ec2.send(new DescribeAvailabilityZonesCommand({})),
    ec2.send(
      new DescribeImagesCommand({
        Owners: owners,
        Filters: [
          { Name: 'name', Values: names },
          { Name: 'architecture', Values: ['x86_64'] },
        ],
      }),
    ),
    ec2.send(new DescribeSubnetsCommand({ MaxResults: 5 })),
  ])
  const [zones, images, subnets] = await pending.catch((error: unknown) => {
    if (isRefusal(error)) return []
    throw error
  })
  return {
    zone: zones?.AvailabilityZones?.[0]?.ZoneName ?? '',
    image: images?.Images?.[0]?.ImageId ?? 'ami-00000000000000000',
    subnet: subnets?.Subnets?.[0]?.SubnetId ?? 'subnet-00000000000000000',
  }
}
