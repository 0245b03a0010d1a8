import {
  EXISTING_DISK,
  EXISTING_FILE_SYSTEM,
  type AccountChoice,
} from '@flotilla/contract/clouds/account-choices'
import * as z from 'zod/mini'
import { accountList, choice, forProcessor, gigabytes, readable, type AccountLists } from '../account-lists'
import type { Gcp } from './client'
import { isTurnedOff } from './rights'

const IAM = 'https://iam.googleapis.com/v1/'
const FILES = 'https://file.googleapis.com/v1/'

const optional = z.optional(z.string())
const Network = z.object({ name: z.string(), autoCreateSubnetworks: z.optional(z.boolean()) })
const Subnetwork = z.object({
  name: z.string(),
  network: z.string(),
  ipCidrRange: optional,
  purpose: optional,
})
const Address = z.object({ name: z.string(), address: z.string(), status: optional, addressType: optional })
const Firewall = z.object({
  name: z.string(),
  network: z.string(),
  targetTags: z._default(z.array(z.string()), []),
})
const Image = z.object({
  name: z.string(),
  status: optional,
  architecture: optional,
  family: optional,
  creationTimestamp: optional,
  deprecated: z.optional(z.unknown()),
})
const Disk = z.object({
  name: z.string(),
  selfLink: z.string(),
  /** Not set for a regional disk, which can be attached in the zones of its replicas. */
  zone: optional,
  replicaZones: z.optional(z.array(z.string())),
  sizeGb: optional,
  type: optional,
  users: z.optional(z.array(z.string())),
  sourceImage: optional,
})
const Zone = z.object({ name: z.string() })
const Account = z.object({ email: z.string(), displayName: optional, disabled: z.optional(z.boolean()) })

const Filestore = z.object({
  name: z.string(),
  state: optional,
  tier: optional,
  fileShares: z.array(z.object({ name: z.string(), capacityGb: optional })),
  networks: z.array(z.object({ network: optional, ipAddresses: z._default(z.array(z.string()), []) })),
})

const lastOf = (link: string) => link.slice(link.lastIndexOf('/') + 1)

/** The project's resources in the driver's region or in none, by the fields that refer to them. */
export function makeChoices(gcp: Gcp, region: string): AccountLists {
  const list = <Item>(
    right: string,
    place: string,
    item: z.ZodMiniType<Item>,
    of: (items: Item[]) => AccountChoice[],
  ) =>
    accountList(
      `compute.${right}.list`,
      (signal) => gcp.pages(`${gcp.project}/${place}/${right}`, signal),
      (page) => of(readable(item, page)),
    )
  const here = `regions/${region}`
  const networks = list('networks', 'global', Network, (items) =>
    items.map(({ name, autoCreateSubnetworks }) =>
      choice(name, '', autoCreateSubnetworks ? 'subnetworks in every region' : 'own subnetworks'),
    ),
  )
  const subnets = list('subnetworks', here, Subnetwork, (items) =>
    items
      // Subnets that are reserved for load balancers cannot have machines.
      .filter(({ purpose = 'PRIVATE' }) => purpose === 'PRIVATE')
      .map((it) => ({
        ...choice(it.name, '', it.ipCidrRange, `network ${lastOf(it.network)}`),
        within: it.network,
        ...(it.ipCidrRange !== undefined && { range: it.ipCidrRange }),
      })),
  )
  const images = (idOf: (name: string) => string) =>
    list('images', 'global', Image, (items) =>
      items
        .filter(({ status = 'READY', deprecated }) => status === 'READY' && !deprecated)
        .map((it) => {
          const id = idOf(it.name)
          const day = it.creationTimestamp?.slice(0, 'yyyy-mm-dd'.length)
          const family = it.family && `family ${it.family}`
          return {
            ...choice(id, id === it.name ? '' : it.name, it.architecture?.toLowerCase(), day, family),
            ...forProcessor(it.architecture),
          }
        }),
    )
  const accounts = accountList(
    'iam.serviceAccounts.list',
    (signal) => gcp.pagesAt(`${IAM}${gcp.project}/serviceAccounts`, 'accounts', signal),
    (page) =>
      readable(Account, page)
        .filter(({ disabled }) => !disabled)
        .map(({ email, displayName }) => choice(email, displayName)),
  )
  return {
    'data.network.network_id': networks,
    'data.network.subnet_id': subnets,
    'data.network.firewall_id': list('firewalls', 'global', Firewall, tagsOf),
    'data.network.fip_address': list('addresses', here, Address, (items) =>
      items
        .filter(({ status, addressType = 'EXTERNAL' }) => status === 'RESERVED' && addressType === 'EXTERNAL')
        .map(({ name, address }) => choice(address, name, 'reserved')),
    ),
    [EXISTING_DISK]: {
      right: 'compute.zones.list and compute.disks.list',
      async *pages(signal) {
        for await (const page of gcp.pages(`${gcp.project}/zones`, signal))
          for (const { name } of readable(Zone, page).filter((zone) => zone.name.startsWith(`${region}-`)))
            for await (const disks of gcp.pages(`${gcp.project}/zones/${name}/disks`, signal))
              yield readable(Disk, disks).filter(isFree).map(diskChoice)
        for await (const disks of gcp.pages(`${gcp.project}/${here}/disks`, signal))
          yield readable(Disk, disks).filter(isFree).map(diskChoice)
      },
    },
    [EXISTING_FILE_SYSTEM.nfs]: {
      ...accountList(
        'file.instances.list',
        // In all locations at once: an instance is in a zone or in a region.
        (signal) => gcp.pagesAt(`${FILES}${gcp.project}/locations/-/instances`, 'instances', signal),
        (page) => readable(Filestore, page).flatMap((one) => sharesOf(one, region)),
      ),
      noteOn: (error) => (isTurnedOff(error) ? 'The project has not enabled the Cloud Filestore API.' : null),
    },
    'data.server.image_name': images((name) => `${gcp.project}/global/images/${name}`),
    'data.service_account': accounts,
    'data.source_image': images((name) => name),
    'data.subnet_network_id': networks,
    'data.subnet_id': subnets,
  }
}

/** Whether the disk is neither attached nor a machine's boot disk. */
const isFree = ({ users = [], sourceImage }: z.infer<typeof Disk>) => users.length === 0 && !sourceImage
const diskChoice = ({
  name,
  selfLink,
  zone,
  replicaZones = [],
  sizeGb,
  type = '',
}: z.infer<typeof Disk>): AccountChoice => {
  const zones = (zone === undefined ? replicaZones : [zone]).map(lastOf)
  // The engine's format of ids: projects/p/zones/z/disks/n.
  const id = selfLink.replace(/^.*\/compute\/v1\//, '')
  return { ...choice(id, name, gigabytes(sizeGb), lastOf(type), zones.join(' and ')), zones }
}

/** projects/p/locations/us-west1-b/instances/name */
function sharesOf(instance: z.infer<typeof Filestore>, region: string): AccountChoice[] {
  const [, place = '', name = ''] = /\/locations\/([^/]+)\/instances\/(.+)$/.exec(instance.name) ?? []
  const isHere = place === region || place.startsWith(`${region}-`)
  const [connection] = instance.networks
  const address = connection?.ipAddresses[0]
  if (instance.state !== 'READY' || !isHere || address === undefined) return []
  return instance.fileShares.map((share) =>
    choice(
      `${address}:/${share.name}`,
      name,
      'Filestore',
      gigabytes(share.capacityGb),
      place,
      connection?.network && `network ${lastOf(connection.network)}`,
    ),
  )
}

/** The target tags of firewall rules, each with its rules. */
function tagsOf(rules: z.infer<typeof Firewall>[]): AccountChoice[] {
  const byTag = new Map<string, string[]>()
  for (const { name, network, targetTags } of rules)
    for (const tag of targetTags) byTag.set(tag, [...(byTag.get(tag) ?? []), `${name} in ${lastOf(network)}`])
  return [...byTag].map(([tag, names]) => choice(tag, '', ...names))
}
