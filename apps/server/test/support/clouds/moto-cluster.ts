import {
  AllocateAddressCommand,
  AssociateAddressCommand,
  AssociateRouteTableCommand,
  AttachInternetGatewayCommand,
  AttachVolumeCommand,
  CreateInternetGatewayCommand,
  CreateNatGatewayCommand,
  CreateNetworkInterfaceCommand,
  CreateLaunchTemplateCommand,
  CreatePlacementGroupCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
  DescribeImagesCommand,
  type EC2Client,
  ImportKeyPairCommand,
  type ResourceType,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2'
import { makeSshKey } from '../../../src/ssh-key'

export const REGION = 'us-east-1'
const ZONE = 'us-east-1a'

/** Everything that the AWS module creates for a cluster of a head node, a node and a disk. */
export async function makeAwsCluster(ec2: EC2Client, cluster: string) {
  const Tags = [{ Key: 'flotilla_cluster', Value: cluster }]
  const as = (ResourceType: ResourceType, name = cluster) => ({
    ResourceType,
    Tags: [...Tags, { Key: 'Name', Value: name }],
  })
  const TagSpecifications = (type: ResourceType, name?: string) => ({ TagSpecifications: [as(type, name)] })

  const { Vpc } = await ec2.send(
    new CreateVpcCommand({ CidrBlock: '10.77.0.0/16', ...TagSpecifications('vpc') }),
  )
  const VpcId = Vpc?.VpcId
  const subnet = async (CidrBlock: string) =>
    (
      await ec2.send(
        new CreateSubnetCommand({
          VpcId,
          CidrBlock,
          AvailabilityZone: ZONE,
          ...TagSpecifications('subnet'),
        }),
      )
    ).Subnet?.SubnetId
  const [open, closed] = [await subnet('10.77.0.0/17'), await subnet('10.77.128.0/17')]
  const { InternetGateway } = await ec2.send(
    new CreateInternetGatewayCommand(TagSpecifications('internet-gateway')),
  )
  const InternetGatewayId = InternetGateway?.InternetGatewayId
  await ec2.send(new AttachInternetGatewayCommand({ VpcId, InternetGatewayId }))
  const address = () =>
    ec2.send(new AllocateAddressCommand({ Domain: 'vpc', ...TagSpecifications('elastic-ip') }))
  const [forGateway, forHead] = [await address(), await address()]
  const { NatGateway } = await ec2.send(
    new CreateNatGatewayCommand({
      SubnetId: open,
      AllocationId: forGateway.AllocationId,
      ...TagSpecifications('natgateway'),
    }),
  )
  const { RouteTable } = await ec2.send(
    new CreateRouteTableCommand({ VpcId, ...TagSpecifications('route-table') }),
  )
  const RouteTableId = RouteTable?.RouteTableId
  await ec2.send(
    new CreateRouteCommand({
      RouteTableId,
      DestinationCidrBlock: '0.0.0.0/0',
      NatGatewayId: NatGateway?.NatGatewayId,
    }),
  )
  await ec2.send(new AssociateRouteTableCommand({ RouteTableId, SubnetId: closed }))
  const { GroupId } = await ec2.send(
    new CreateSecurityGroupCommand({
      GroupName: cluster,
      Description: 'of a test',
      VpcId,
      ...TagSpecifications('security-group'),
    }),
  )
  await ec2.send(
    new ImportKeyPairCommand({
      KeyName: cluster,
      PublicKeyMaterial: Buffer.from(makeSshKey('of a test').publicKey),
      ...TagSpecifications('key-pair'),
    }),
  )
  await ec2.send(
    new CreatePlacementGroupCommand({
      GroupName: cluster,
      Strategy: 'cluster',
      ...TagSpecifications('placement-group'),
    }),
  )
  await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: cluster,
      LaunchTemplateData: { InstanceType: 'p4d.24xlarge' },
      ...TagSpecifications('launch-template'),
    }),
  )
  const { NetworkInterface } = await ec2.send(
    new CreateNetworkInterfaceCommand({
      SubnetId: open,
      Groups: [GroupId ?? ''],
      ...TagSpecifications('network-interface'),
    }),
  )
  const NetworkInterfaceId = NetworkInterface?.NetworkInterfaceId
  await ec2.send(new AssociateAddressCommand({ AllocationId: forHead.AllocationId, NetworkInterfaceId }))

  const { Images = [] } = await ec2.send(new DescribeImagesCommand({ Owners: ['099720109477'] }))
  const image = Images[0]?.ImageId ?? ''
  const machine = (name: string) => ({
    ImageId: image,
    InstanceType: 't3.large' as const,
    MinCount: 1,
    MaxCount: 1,
    BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 8, DeleteOnTermination: true } }],
    TagSpecifications: [as('instance', name), as('volume')],
  })
  const head = await ec2.send(
    new RunInstancesCommand({
      ...machine('head'),
      NetworkInterfaces: [{ NetworkInterfaceId, DeviceIndex: 0, DeleteOnTermination: false }],
    }),
  )
  const node = await ec2.send(new RunInstancesCommand({ ...machine('node1'), SubnetId: closed }))
  const InstanceId = head.Instances?.[0]?.InstanceId ?? ''
  const { VolumeId = '' } = await ec2.send(
    new CreateVolumeCommand({
      AvailabilityZone: ZONE,
      Size: 20,
      VolumeType: 'gp3',
      ...TagSpecifications('volume', 'data'),
    }),
  )
  await ec2.send(new AttachVolumeCommand({ VolumeId, InstanceId, Device: '/dev/xvdba' }))
  return { machines: [InstanceId, node.Instances?.[0]?.InstanceId ?? ''], volume: VolumeId, image }
}
