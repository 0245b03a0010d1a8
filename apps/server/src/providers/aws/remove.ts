import {
  DeleteInternetGatewayCommand,
  DeleteKeyPairCommand,
  DeleteLaunchTemplateCommand,
  DeleteNatGatewayCommand,
  DeleteNetworkInterfaceCommand,
  DeletePlacementGroupCommand,
  DeleteRouteTableCommand,
  DeleteSecurityGroupCommand,
  DeleteSubnetCommand,
  DeleteVolumeCommand,
  DeleteVpcCommand,
  DescribeAddressesCommand,
  DescribeInternetGatewaysCommand,
  DescribeNatGatewaysCommand,
  DescribeNetworkInterfacesCommand,
  DescribeRouteTablesCommand,
  DescribeVolumesCommand,
  DetachInternetGatewayCommand,
  DetachNetworkInterfaceCommand,
  DetachVolumeCommand,
  DisassociateAddressCommand,
  DisassociateRouteTableCommand,
  type EC2Client,
  ReleaseAddressCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2'
import type { Driver } from '../provider'
import { unlessNotFound, type Until } from '../waiting'
import { isNotFound } from './clients'
import { statesOf } from './power'

type Remove = (id: string, signal: AbortSignal) => Promise<unknown>

/** A resource is detached before it is deleted; AWS rejects the deletion while other resources depend on it. */
export function makeRemove(ec2: EC2Client, until: Until): Driver['remove'] {
  const removes: Record<string, Remove> = {
    async aws_instance(id, signal) {
      await ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }))
      const gone = async () => (await statesOf(ec2, [id], signal)).every((state) => state === 'terminated')
      await until(`${id} is deleted`, gone, signal)
    },
    async aws_ebs_volume(id, signal) {
      const attachments = async () =>
        (await ec2.send(new DescribeVolumesCommand({ VolumeIds: [id] }))).Volumes?.[0]?.Attachments ?? []
      for (const { InstanceId, State } of await attachments())
        if (State !== 'detaching') await ec2.send(new DetachVolumeCommand({ VolumeId: id, InstanceId }))
      await until(`${id} is detached`, async () => (await attachments()).length === 0, signal)
      await ec2.send(new DeleteVolumeCommand({ VolumeId: id }))
    },
    async aws_eip(id) {
      const { Addresses = [] } = await ec2.send(new DescribeAddressesCommand({ AllocationIds: [id] }))
      for (const { AssociationId } of Addresses)
        if (AssociationId) await ec2.send(new DisassociateAddressCommand({ AssociationId }))
      await ec2.send(new ReleaseAddressCommand({ AllocationId: id }))
    },
    async aws_network_interface(id, signal) {
      const attachments = async () =>
        (await ec2.send(new DescribeNetworkInterfacesCommand({ NetworkInterfaceIds: [id] })))
          .NetworkInterfaces?.[0]
      const { AttachmentId, DeviceIndex } = (await attachments())?.Attachment ?? {}
      // A machine's first interface cannot be detached: the deletion then fails with AWS's own error.
      if (AttachmentId && DeviceIndex !== 0) {
        await ec2.send(new DetachNetworkInterfaceCommand({ AttachmentId, Force: true }))
        await until(`${id} is detached`, async () => !(await attachments())?.Attachment, signal)
      }
      await ec2.send(new DeleteNetworkInterfaceCommand({ NetworkInterfaceId: id }))
    },
    async aws_nat_gateway(id, signal) {
      await ec2.send(new DeleteNatGatewayCommand({ NatGatewayId: id }))
      // The gateway uses its address and its subnet until it is deleted.
      const gone = async () => {
        const { NatGateways = [] } = await ec2.send(new DescribeNatGatewaysCommand({ NatGatewayIds: [id] }))
        return NatGateways.every(({ State }) => State === 'deleted')
      }
      await until(`${id} is deleted`, gone, signal)
    },
    async aws_internet_gateway(id) {
      const { InternetGateways = [] } = await ec2.send(
        new DescribeInternetGatewaysCommand({ InternetGatewayIds: [id] }),
      )
      for (const { VpcId } of InternetGateways.flatMap(({ Attachments = [] }) => Attachments))
        await ec2.send(new DetachInternetGatewayCommand({ InternetGatewayId: id, VpcId }))
      await ec2.send(new DeleteInternetGatewayCommand({ InternetGatewayId: id }))
    },
    async aws_route_table(id) {
      const { RouteTables = [] } = await ec2.send(new DescribeRouteTablesCommand({ RouteTableIds: [id] }))
      for (const { Main, RouteTableAssociationId } of RouteTables.flatMap(
        ({ Associations = [] }) => Associations,
      ))
        if (!Main)
          await ec2.send(new DisassociateRouteTableCommand({ AssociationId: RouteTableAssociationId }))
      await ec2.send(new DeleteRouteTableCommand({ RouteTableId: id }))
    },
    aws_subnet: (id) => ec2.send(new DeleteSubnetCommand({ SubnetId: id })),
    aws_security_group: (id) => ec2.send(new DeleteSecurityGroupCommand({ GroupId: id })),
    aws_vpc: (id) => ec2.send(new DeleteVpcCommand({ VpcId: id })),
    aws_key_pair: (id) => ec2.send(new DeleteKeyPairCommand({ KeyName: id })),
    aws_launch_template: (id) => ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateId: id })),
    aws_placement_group: (id) => ec2.send(new DeletePlacementGroupCommand({ GroupName: id })),
  }
  return async ({ id, type }, signal) => {
    signal.throwIfAborted()
    const remove = removes[type]
    if (!remove) throw new Error(`This console cannot remove ${type}`)
    await unlessNotFound(remove(id, signal), isNotFound)
  }
}
