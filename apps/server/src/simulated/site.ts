import type { AcmMachine } from '@flotilla/contract/clouds/acm'
import type { WorldItem } from '@flotilla/simulated-cloud/world/world'
import { simulatedMaas } from './maas'

type Allocation = Record<string, unknown>

/** The request that a machine was allocated for. */
const allocationOf = ({ attributes: { allocate_params } }: WorldItem): Allocation => {
  const [requested] = [allocate_params].flat()
  return typeof requested === 'object' && requested !== null ? (requested as Allocation) : {}
}

const fits = (machine: AcmMachine, { pool, zone, tags, min_cpu_count, min_memory }: Allocation): boolean =>
  (typeof pool !== 'string' || machine.pool === pool) &&
  (typeof zone !== 'string' || machine.zone === zone) &&
  (!Array.isArray(tags) || tags.every((tag) => machine.tags.includes(String(tag)))) &&
  machine.cores >= Number(min_cpu_count ?? 0) &&
  machine.memory * 1024 >= Number(min_memory ?? 0)

/** The machines of the small fictional site, of which those in clusters are deployed; `most` limits their number. */
export async function siteMachines(items: WorldItem[], most = Infinity): Promise<AcmMachine[]> {
  const all = (await simulatedMaas().machines()).slice(0, most)
  for (const item of items.filter(({ kind }) => kind === 'machine')) {
    const taken = all.findIndex((one) => one.status === 'Ready' && fits(one, allocationOf(item)))
    const machine = all[taken]
    if (machine) all[taken] = { ...machine, status: 'Deployed' }
  }
  return all
}

/** Whether the site has a machine left for the item. */
export const hasMachineFor = async (item: WorldItem, others: WorldItem[], most?: number): Promise<boolean> =>
  (await siteMachines(others, most)).some((one) => one.status === 'Ready' && fits(one, allocationOf(item)))
