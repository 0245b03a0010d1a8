import { models } from 'oci-core'
import type { Driver } from '../provider'
import { unlessNotFound, type Until } from '../waiting'
import { type Clients, isNotFound } from './clients'

const { LifecycleState: AttachmentState } = models.VolumeAttachment

interface Kind {
  delete(id: string): Promise<unknown>
  /** Returns the resource's state. */
  stateOf(id: string): Promise<string | undefined>
  before?(id: string, signal: AbortSignal): Promise<void>
}

/** A resource is detached before it is deleted; Oracle rejects the deletion while other resources depend on it. */
export function makeRemove(
  { compute, storage, network, compartmentId }: Clients,
  until: Until,
): Driver['remove'] {
  const detach = async (volumeId: string, signal: AbortSignal) => {
    const attached = async () =>
      (await compute.listVolumeAttachments({ compartmentId, volumeId })).items.filter(
        ({ lifecycleState }) => lifecycleState !== AttachmentState.Detached,
      )
    for (const { id, lifecycleState } of await attached())
      if (lifecycleState !== AttachmentState.Detaching) await compute.detachVolume({ volumeAttachmentId: id })
    await until(`${volumeId} is detached`, async () => (await attached()).length === 0, signal)
  }
  const kinds: Record<string, Kind> = {
    oci_core_instance: {
      delete: (instanceId) => compute.terminateInstance({ instanceId, preserveBootVolume: false }),
      stateOf: async (instanceId) => (await compute.getInstance({ instanceId })).instance.lifecycleState,
    },
    oci_core_compute_cluster: {
      delete: (computeClusterId) => compute.deleteComputeCluster({ computeClusterId }),
      stateOf: async (computeClusterId) =>
        (await compute.getComputeCluster({ computeClusterId })).computeCluster.lifecycleState,
    },
    oci_core_volume: {
      before: detach,
      delete: (volumeId) => storage.deleteVolume({ volumeId }),
      stateOf: async (volumeId) => (await storage.getVolume({ volumeId })).volume.lifecycleState,
    },
    oci_core_subnet: {
      delete: (subnetId) => network.deleteSubnet({ subnetId }),
      stateOf: async (subnetId) => (await network.getSubnet({ subnetId })).subnet.lifecycleState,
    },
    oci_core_route_table: {
      delete: (rtId) => network.deleteRouteTable({ rtId }),
      stateOf: async (rtId) => (await network.getRouteTable({ rtId })).routeTable.lifecycleState,
    },
    oci_core_security_list: {
      delete: (securityListId) => network.deleteSecurityList({ securityListId }),
      stateOf: async (securityListId) =>
        (await network.getSecurityList({ securityListId })).securityList.lifecycleState,
    },
    oci_core_network_security_group: {
      delete: (networkSecurityGroupId) => network.deleteNetworkSecurityGroup({ networkSecurityGroupId }),
      stateOf: async (networkSecurityGroupId) =>
        (await network.getNetworkSecurityGroup({ networkSecurityGroupId })).networkSecurityGroup
          .lifecycleState,
    },
    oci_core_internet_gateway: {
      delete: (igId) => network.deleteInternetGateway({ igId }),
      stateOf: async (igId) => (await network.getInternetGateway({ igId })).internetGateway.lifecycleState,
    },
    oci_core_nat_gateway: {
      delete: (natGatewayId) => network.deleteNatGateway({ natGatewayId }),
      stateOf: async (natGatewayId) =>
        (await network.getNatGateway({ natGatewayId })).natGateway.lifecycleState,
    },
    oci_core_local_peering_gateway: {
      delete: (localPeeringGatewayId) => network.deleteLocalPeeringGateway({ localPeeringGatewayId }),
      stateOf: async (localPeeringGatewayId) =>
        (await network.getLocalPeeringGateway({ localPeeringGatewayId })).localPeeringGateway.lifecycleState,
    },
    oci_core_vcn: {
      delete: (vcnId) => network.deleteVcn({ vcnId }),
      stateOf: async (vcnId) => (await network.getVcn({ vcnId })).vcn.lifecycleState,
    },
  }
  return async ({ id, type }, signal) => {
    signal.throwIfAborted()
    const kind = kinds[type]
    if (!kind) throw new Error(`This console cannot remove ${type}`)
    const state = () => unlessNotFound(kind.stateOf(id), isNotFound)
    const gone = async () => [undefined, 'TERMINATED', 'DELETED'].includes(await state())
    // Checked first, because deleting without permission and deleting a missing resource give the same error.
    if (await gone()) return
    await kind.before?.(id, signal)
    if ((await state()) !== 'TERMINATING') await kind.delete(id)
    await until(`${id} is deleted`, gone, signal)
  }
}
