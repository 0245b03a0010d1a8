import {
  EXISTING_DISK,
  EXISTING_FILE_SYSTEM,
  type AccountChoice,
} from '@flotilla/contract/clouds/account-choices'
import * as z from 'zod/mini'
import {
  about,
  accountList,
  choice,
  gigabytes,
  inZone,
  readable,
  type AccountLists,
} from '../../account-lists'
import type { Clients } from '../clients'
import { galleryVersions, isLinux } from '../gallery'

import { LISTS, NETWORKS } from '../kinds'
import { sharedFolders } from './file-systems'

const IMAGES = '2024-07-01'
const DISKS = '2024-03-02'

const optional = z.optional(z.nullable(z.string()))
const thing = <Shape extends z.core.$ZodLooseShape>(properties: Shape) =>
  z.object({ id: z.string(), name: z.string(), location: optional, properties: z.object(properties) })

const Group = z.object({ name: z.string(), location: optional })
const Subnet = thing({
  addressPrefix: optional,
  addressPrefixes: z.optional(z.nullable(z.array(z.string()))),
})
const Network = thing({
  addressSpace: z.object({ addressPrefixes: z.array(z.string()) }),
  subnets: z._default(z.array(z.unknown()), []),
})
const Firewall = thing({})
const Address = thing({
  ipAddress: optional,
  ipConfiguration: z.optional(z.unknown()),
  natGateway: z.optional(z.unknown()),
})
const Image = thing({
  hyperVGeneration: optional,
  storageProfile: z.object({ osDisk: z.object({ osType: optional }) }),
})

const Disk = z.extend(thing({ diskState: optional, diskSizeGB: z.optional(z.number()), osType: optional }), {
  sku: z.optional(z.nullable(z.object({ name: optional }))),
  zones: z.optional(z.nullable(z.array(z.string()))),
})

const groupIn = (id: string) => /\/resourceGroups\/([^/]+)/i.exec(id)?.[1]

/** The subscription's resources in the driver's region, by the fields that refer to them. */
export function makeChoices({ arm, subscription }: Clients, region: string): AccountLists {
  const isHere = ({ location }: { location?: string | null | undefined }) =>
    region === '' || location?.toLowerCase() === region.toLowerCase()
  const list = <Item extends { location?: string | null | undefined }>(
    type: string,
    version: string,
    item: z.ZodMiniType<Item>,
    of: (one: Item) => AccountChoice[],
  ) =>
    accountList(
      `Microsoft.${type}/read`,
      (signal) => arm.pages(`${subscription}/providers/Microsoft.${type}`, version, { signal }),
      (page) => readable(item, page).filter(isHere).flatMap(of),
    )
  const subnetsOf = ({ id, name, properties }: z.infer<typeof Network>) =>
    readable(Subnet, properties.subnets).map((it) => ({
      subnet: it,
      network: { id, name },
      about: about(it.properties.addressPrefix, ...(it.properties.addressPrefixes ?? []), name, groupIn(id)),
    }))
  const networks = (of: (one: z.infer<typeof Network>) => AccountChoice[]) =>
    list('Network/virtualNetworks', NETWORKS, Network, of)
  const images = (of: (one: z.infer<typeof Image>) => AccountChoice) =>
    list('Compute/images', IMAGES, Image, (it) =>
      isLinux(it.properties.storageProfile.osDisk.osType) ? [of(it)] : [],
    )
  const rangesOf = ({ properties }: z.infer<typeof Network>) => properties.addressSpace.addressPrefixes

  const groups = accountList(
    'Microsoft.Resources/subscriptions/resourceGroups/read',
    (signal) => arm.pages(`${subscription}/resourcegroups`, LISTS, { signal }),
    (page) => readable(Group, page).map(({ name, location }) => choice(name, '', location)),
  )
  const managed = images((it) =>
    choice(it.id, it.name, 'managed image', it.properties.hyperVGeneration, groupIn(it.id)),
  )
  const inGalleries = galleryVersions(arm, subscription, region)
  return {
    'data.resource_group_id': groups,
    'data.image_resource_group_name': groups,
    'data.network.network_id': networks((it) => [choice(it.id, it.name, ...rangesOf(it), groupIn(it.id))]),
    'data.network.subnet_id': networks((it) =>
      subnetsOf(it).map(({ subnet, network, about: text }) => ({
        ...choice(subnet.id, subnet.name, text),
        within: network.id,
        ...(typeof subnet.properties.addressPrefix === 'string' && {
          range: subnet.properties.addressPrefix,
        }),
      })),
    ),
    'data.network.security_group_id': list('Network/networkSecurityGroups', NETWORKS, Firewall, (it) => [
      choice(it.id, it.name, groupIn(it.id)),
    ]),
    'data.network.eip_id': list('Network/publicIPAddresses', NETWORKS, Address, (it) =>
      // An address that is in use would be taken from its machine.
      it.properties.ipConfiguration || it.properties.natGateway
        ? []
        : [choice(it.id, it.name, it.properties.ipAddress, groupIn(it.id))],
    ),
    [EXISTING_DISK]: list('Compute/disks', DISKS, Disk, ({ id, name, sku, zones, properties }) =>
      // Neither attached disks nor boot disks.
      properties.diskState === 'Unattached' && !properties.osType
        ? [
            {
              ...choice(
                id,
                name,
                gigabytes(properties.diskSizeGB),
                sku?.name,
                zones?.[0] && `zone ${zones[0]}`,
                groupIn(id),
              ),
              ...inZone(zones?.[0]),
            },
          ]
        : [],
    ),
    [EXISTING_FILE_SYSTEM.nfs]: sharedFolders({ arm, subscription }, region),
    'data.server.image_name': {
      right: `${managed.right} or ${inGalleries.right}`,
      async *pages(signal) {
        yield* managed.pages(signal)
        yield* inGalleries.pages(signal)
      },
    },
    'data.source_image': images((it) => ({
      ...choice(it.name, '', it.properties.hyperVGeneration, groupIn(it.id)),
      within: groupIn(it.id),
    })),
    'data.source_resource_group_name': groups,
    'data.resource_group_name': groups,
    'data.subnet_network_id': networks((it) => [choice(it.name, '', ...rangesOf(it), groupIn(it.id))]),
    'data.subnet_id': networks((it) =>
      subnetsOf(it).map(({ subnet, network, about: text }) => ({
        ...choice(subnet.name, '', text),
        within: network.name,
      })),
    ),
  }
}
