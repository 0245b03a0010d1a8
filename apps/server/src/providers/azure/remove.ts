import * as z from 'zod/mini'
import type { Driver } from '../provider'
import { unlessNotFound, type Until, withLimit } from '../waiting'
import { type Clients, isNotFound, placeOf } from './clients'
import { GROUPS, LISTS, NETWORKS } from './kinds'

type Remove = (id: string, signal: AbortSignal) => Promise<void>

const Gateway = z.object({
  name: z.string(),
  properties: z.object({ subnets: z._default(z.array(z.object({ id: z.string() })), []) }),
})
const Subnet = z.looseObject({ name: z.string(), properties: z.looseObject({}) })
const Inside = z.object({ id: z.string() })

/** A resource is detached before it is deleted; Azure rejects the deletion while other resources depend on it. */
export function makeRemove(
  { compute, arm }: Clients,
  until: Until,
  poll: { updateIntervalInMs?: number },
): Driver['remove'] {
  const isThere = async (id: string, version: string) =>
    (await unlessNotFound(arm.get(id, version), isNotFound)) !== undefined
  const away = async (id: string, version: string, signal: AbortSignal) => {
    await arm.delete(id, version)
    // Azure confirms the deletion at once, but takes a while to complete it.
    await until(`${id} is deleted`, async () => !(await isThere(id, version)), signal)
  }

  /**
   * Detaches a gateway from its subnets. Our subnet in a user's own network has no tag, but has the gateway's name, and
   * is deleted.
   */
  const unhook = async (id: string, signal: AbortSignal) => {
    const { name, properties } = Gateway.parse(await arm.get(id, NETWORKS))
    for (const subnet of properties.subnets) {
      const ours = subnet.id.toLowerCase().endsWith(`/subnets/${name}`.toLowerCase())
      const network = subnet.id.replace(/\/subnets\/[^/]+$/i, '')
      const inNetworkOfOurs = network.toLowerCase().endsWith(`/virtualnetworks/${name}`.toLowerCase())
      if (ours && !inNetworkOfOurs) await away(subnet.id, NETWORKS, signal)
      else {
        const { properties: has, ...rest } = Subnet.parse(await arm.get(subnet.id, NETWORKS))
        const { natGateway: _ours, ...kept } = has
        await arm.put(subnet.id, NETWORKS, { ...rest, properties: kept })
        const free = async () =>
          Gateway.parse(await arm.get(id, NETWORKS)).properties.subnets.every((one) => one.id !== subnet.id)
        await until(`${subnet.id} is free of ${name}`, free, signal)
      }
    }
  }

  const network: Remove = (id, signal) => away(id, NETWORKS, signal)
  const removes: Record<string, Remove> = {
    async azurerm_linux_virtual_machine(id, abortSignal) {
      const [group, name] = placeOf(id)
      const { storageProfile } = await compute.virtualMachines.get(group, name, { abortSignal })
      await compute.virtualMachines
        .delete(group, name, { ...poll, abortSignal })
        .pollUntilDone({ abortSignal })
      // Azure does not delete the boot disk with the machine.
      const disk = storageProfile?.osDisk?.managedDisk?.id
      if (disk)
        await compute.disks.delete(...placeOf(disk), { ...poll, abortSignal }).pollUntilDone({ abortSignal })
    },
    async azurerm_managed_disk(id, abortSignal) {
      const place = placeOf(id)
      const { managedBy } = await compute.disks.get(...place, { abortSignal })
      if (managedBy)
        await compute.virtualMachines
          .attachDetachDataDisks(
            ...placeOf(managedBy),
            { dataDisksToDetach: [{ diskId: id }] },
            { ...poll, abortSignal },
          )
          .pollUntilDone({ abortSignal })
      await compute.disks.delete(...place, { ...poll, abortSignal }).pollUntilDone({ abortSignal })
    },
    async azurerm_image(id, abortSignal) {
      await compute.images.delete(...placeOf(id), { ...poll, abortSignal }).pollUntilDone({ abortSignal })
    },
    azurerm_availability_set: (id, abortSignal) =>
      compute.availabilitySets.delete(...placeOf(id), { abortSignal }),
    azurerm_network_interface: network,
    azurerm_public_ip: network,
    azurerm_network_security_group: network,
    azurerm_virtual_network: network,
    async azurerm_nat_gateway(id, signal) {
      await unhook(id, signal)
      await away(id, NETWORKS, signal)
    },
    async [GROUPS](id, signal) {
      // Azure would delete everything in the group, including resources that are not ours.
      const [first, ...more] = await arm.list(Inside, `${id}/resources`, LISTS)
      if (first)
        throw new Error(`${id} still holds ${first.id}${more.length > 0 ? ` and ${more.length} more` : ''}`)
      await away(id, LISTS, signal)
    },
  }
  return async ({ id, type }, signal) => {
    signal.throwIfAborted()
    const remove = removes[type]
    if (!remove) throw new Error(`This console cannot remove ${type}`)
    await unlessNotFound(remove(id, withLimit(signal)), isNotFound)
  }
}
