import type { AccountChoice } from '@flotilla/contract/clouds/account-choices'
import { accountList, choice, type AccountLists } from '../account-lists'
import type { Clients } from './clients'

interface Paged {
  compartmentId: string
  limit: number
  page?: string
}
interface Thing {
  lifecycleState?: string
}
const LIMIT = 200
/** Names of what an address is in, as Oracle's console shows them. */
const placeOf = (domain: string | undefined) => domain ?? 'regional'

/** What the credential's compartment has in the driver's region, by the fields that name it. */
export function makeChoices({ compute, network, compartmentId }: Clients): AccountLists {
  const list = <Item extends Thing>(
    kind: string,
    ask: (request: Paged) => Promise<{ items: Item[]; opcNextPage?: string }>,
    of: (item: Item) => AccountChoice[],
  ) =>
    accountList(
      `inspect ${kind}`,
      async function* (signal) {
        let page: string | undefined
        do {
          // Oracle's library cannot be told to stop.
          signal.throwIfAborted()
          const answer = await ask({ compartmentId, limit: LIMIT, ...(page && { page }) })
          yield Array.isArray(answer.items) ? answer.items : []
          page = answer.opcNextPage
        } while (page)
      },
      (items) => items.filter((one) => one && one.lifecycleState === 'AVAILABLE').flatMap(of),
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
      },
    ],
  )
  const images = list(
    'instance-images',
    (request) => compute.listImages(request),
    // Those of Oracle itself, which the list has too, belong to no compartment.
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
    'data.server.image_name': images,
    'data.subnet_id': subnets,
    'data.source_image': images,
  }
}
