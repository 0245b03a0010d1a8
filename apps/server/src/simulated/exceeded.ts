import { exceededText } from '@flotilla/simulated-cloud/clouds/quotas'
import { clouds } from '@flotilla/simulated-cloud/clouds/registry'
import type { MayHave } from '@flotilla/simulated-cloud/apply/engine'
import { counting, limitOf, limitsOf, takenBy, usedBy } from './counting'
import { hasMachineFor } from './site'

/**
 * Enforces the limits that plans are compared with: the cloud's error for a resource that would exceed one, otherwise
 * ''.
 */
export const refusalOf: MayHave = async ({ dir, cloud, item, others }) => {
  const limits = await limitsOf(dir, cloud)
  if (cloud === 'maas') {
    const found = item.kind !== 'machine' || (await hasMachineFor(item, others, limits.all))
    return found ? '' : clouds.maas.failures.capacity
  }
  const needed = Object.entries(await takenBy(cloud, item))
  if (needed.length === 0) return ''
  const used = await usedBy(
    cloud,
    others.filter(({ region }) => region === item.region),
  )
  for (const [id, more] of needed) {
    const has = used[id] ?? 0
    const unit = counting[cloud].unit(id)
    const limit = limitOf(limits, id, unit)
    const name = counting[cloud].name?.(id) ?? id
    if (has + more > limit)
      return exceededText[cloud]({ id, name, unit, limit, used: has, more, region: item.region })
  }
  return ''
}
