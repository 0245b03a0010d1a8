import type { AccountChoice } from '@flotilla/contract/clouds/account-choices'
import type { ProviderId } from '@flotilla/contract/site/config'
import { clouds } from '@flotilla/simulated-cloud/clouds/registry'
import type { World, WorldItem } from '@flotilla/simulated-cloud/world/world'
import { mentions } from '@flotilla/simulated-cloud/apply/make'
import { choice, gigabytes, inZone, type AccountLists } from '../providers/account-lists'
import { accounts } from './accounts'

const RANGES = ['cidr_block', 'cidr_blocks', 'ip_cidr_range', 'address_prefixes', 'address_space']
const NETWORKS = ['vpc_id', 'virtual_network_name', 'network', 'vcn_id']
const ZONES = ['availability_zone', 'zone', 'availability_domain']
const madeSince = ({ id, name, sizeGb, attributes }: WorldItem): AccountChoice => {
  const within = NETWORKS.map((network) => attributes[network]).find((one) => typeof one === 'string')
  const thing = choice(
    id,
    name,
    ...(sizeGb === null ? [] : [gigabytes(sizeGb), attributes.availability_zone, attributes.zone]),
    ...RANGES.flatMap((range) => attributes[range] ?? []),
  )
  const zone = ZONES.map((place) => attributes[place]).find((place) => typeof place === 'string')
  const [range] = RANGES.flatMap((field) => attributes[field] ?? [])
  return {
    ...thing,
    ...(within !== undefined && { within }),
    ...inZone(zone),
    ...(typeof range === 'string' && { range }),
  }
}

/** A disk that is attached to a machine is not offered. */
const isFree = (item: WorldItem, all: WorldItem[]) =>
  item.kind !== 'volume' ||
  !all.some(
    (other) => other.part && mentions(other.attributes, [item.id, item.attributes.self_link ?? item.id]),
  )

/** The resources of a simulated account: a few that existed from the start, and those created since. */
export function simulatedAccount(
  provider: ProviderId,
  region: string,
  world: World,
  checkCredential: () => Promise<void>,
): AccountLists {
  const fields = accounts[provider](region, clouds[provider].given?.range ?? '')
  const isHere = (item: WorldItem) => region === '' || item.region === '' || item.region === region
  const lists = Object.entries(fields).map(([field, { before = [], type }]) => {
    const list: AccountLists[string] = {
      right: 'to list this',
      async *pages() {
        await checkCredential()
        const all = await world.list()
        const made = all.filter((item) => isHere(item) && item.type === type && isFree(item, all))
        yield [...before, ...made.map(madeSince)]
      },
    }
    return [field, list]
  })
  return Object.fromEntries(lists)
}
