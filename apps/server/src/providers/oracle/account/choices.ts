import {
  EXISTING_DISK,
  EXISTING_FILE_SYSTEM,
  type AccountChoice,
} from '@flotilla/contract/clouds/account-choices'
import { accountList, choice, gigabytes, inZone, type AccountLists } from '../../account-lists'
import type { Clients } from '../clients'
import { fileStorage } from './file-storage'

interface Paged {
  compartmentId: string
  limit: number
  page?: string
}
interface Thing {
  lifecycleState?: string
}
const LIMIT = 200
/** The location of a subnet, as Oracle's console shows it. */
const placeOf = (domain: string | undefined) => domain ?? 'regional'

/** The resources of the credential's compartment in the driver's region, by the fields that refer to them. */
export function makeChoices(clients: Clients): AccountLists {
  const { compute, network, storage, compartmentId } = clients
  const list = <Item extends Thing>(
    kind: string,
    fetchPage: (request: Paged) => Promise<{ items: Item[]; opcNextPage?: string }>,
    of: (item: Item) => AccountChoice[],
    state = 'AVAILABLE',
  ) =>
    accountList(
      `inspect ${kind}`,
      async function* (signal) {
        let page: string | undefined
        do {
          // Oracle's library does not support aborting a request.
          signal.throwIfAborted()
          const answer = await fetchPage({ compartmentId, limit: LIMIT, ...(page && { page }) })
          yield Array.isArray(answer.items) ? answer.items : []
          page = answer.opcNextPage
        } while (page)
      },
      (items) => items.filter((one) => one && one.lifecycleState === state).flatMap(of),
    )
  const subnets = list(
    'subnets',
    (request) => network.listSubnets(request),
    (it) => [
      {
        ...choice(
          it.id,
          it.displayName,
          it.cidrBlock,
          placeOf(it.availabilityDomain),
          it.prohibitPublicIpOnVnic ? 'private' : 'public',
        ),
        within: it.vcnId,
        ...inZone(it.availabilityDomain),
        range: it.cidrBlock,
      },
    ],
  )
  const volumes = list(
    'volumes',
    (request) => storage.listVolumes(request),
    (it) => [
      {
        ...choice(it.id, it.displayName, gigabytes(it.sizeInGBs), it.availabilityDomain),
        ...inZone(it.availabilityDomain),
      },
    ],
  )
  const attachments = list(
    'volume-attachments',
    (request) => compute.listVolumeAttachments(request),
    (it) => [choice(it.volumeId, it.displayName)],
    'ATTACHED',
  )
  const images = list(
    'instance-images',
    (request) => compute.listImages(request),
    // The list also has Oracle's own images, which belong to no compartment.
    (it) =>
      it.compartmentId === compartmentId
        ? [choice(it.id, it.displayName, it.operatingSystem, it.operatingSystemVersion)]
        : [],
  )
  return {
    'data.network.vcn_id': list(
      'vcns',
      (request) => network.listVcns(request),
      (it) => [choice(it.id, it.displayName, ...(it.cidrBlocks ?? [it.cidrBlock]))],
    ),
    'data.network.subnet_id': subnets,
    'data.network.security_group_id': list(
      'network-security-groups',
      (request) => network.listNetworkSecurityGroups(request),
      (it) => [{ ...choice(it.id, it.displayName), within: it.vcnId }],
    ),
    'data.LPG': list(
      'local-peering-gateways',
      (request) => network.listLocalPeeringGateways(request),
      (it) => [choice(it.id, it.displayName, it.peeringStatus?.toLowerCase())],
    ),
    [EXISTING_DISK]: {
      right: 'inspect volumes and inspect volume-attachments',
      async *pages(signal) {
        const attached = new Set<string>()
        for await (const page of attachments.pages(signal)) for (const { id } of page) attached.add(id)
        for await (const page of volumes.pages(signal)) yield page.filter(({ id }) => !attached.has(id))
      },
    },
    [EXISTING_FILE_SYSTEM.nfs]: fileStorage(clients),
    'data.server.image_name': images,
    'data.subnet_id': subnets,
    'data.source_image': images,
  }
}
