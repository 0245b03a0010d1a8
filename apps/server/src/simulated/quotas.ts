import type { ProviderId } from '@flotilla/contract/site/config'
import type { WorldItem } from '@flotilla/simulated-cloud/world/world'
import { readyMachines } from '../providers/maas/quota'
import type { CountedMachine, Quota, Quotas } from '../providers/quota/quota'
import { counting, limitOf, limitsOf, usedBy } from './counting'
import { siteMachines } from './site'

type Requested = {
  dir: string
  provider: ProviderId
  region: string
  items: WorldItem[]
  machines: CountedMachine[]
  zone: string
}

/** The quotas of a simulated account: limits from `quotas.json`, and the use of them by what exists in its region. */
export async function simulatedQuotas(requested: Requested): Promise<Quotas> {
  const { dir, provider, region, items, machines, zone } = requested
  const limits = await limitsOf(dir, provider)
  if (provider === 'maas') return readyMachines(await siteMachines(items, limits.all), machines, zone)
  const { address, network, ...cloud } = counting[provider]
  const used = await usedBy(
    provider,
    items.filter((item) => region === '' || item.region === region),
  )
  const takes = machines.map(cloud.takes)
  const ids = takes.flatMap((one) => (typeof one === 'string' ? [] : Object.keys(one)))
  const quota = (id: string): Quota => {
    const unit = cloud.unit(id)
    const limit = limitOf(limits, id, unit)
    return { name: cloud.name?.(id) ?? id, unit, limit, used: used[id] ?? 0, link: null }
  }
  const all = [...ids, ...[address, network].filter((id) => id !== undefined)]
  return {
    quotas: Object.fromEntries(all.map((id) => [id, quota(id)])),
    machines: takes,
    ...(address && { address: { [address]: 1 } }),
    ...(network && { network: { [network]: 1 } }),
  }
}
