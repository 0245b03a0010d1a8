import type { AcmMachine } from '@flotilla/contract/clouds/acm'
import type { CountedMachine, Quota, Quotas } from '../quota/quota'
import { shapeOf } from './variables'

const ALL = 'all'

/** MAAS has no quotas: what can be deployed is limited by the machines that are ready and meet the requirements. */
export function readyMachines(all: AcmMachine[], wanted: CountedMachine[], zone: string): Quotas {
  const here = all.filter((machine) => zone === '' || machine.zone === zone)
  const quotas: Record<string, Quota> = { [ALL]: count('All machines', here) }
  const machines = wanted.map(({ instance_id, ocpus, mem }) => {
    const { pool, tags } = shapeOf(instance_id)
    const what = [
      instance_id,
      ocpus > 0 && `at least ${ocpus} cores`,
      mem > 0 && `at least ${mem} GB`,
    ].filter((one) => one !== '' && one !== false)
    if (what.length === 0) return { [ALL]: 1 }
    const fits = here.filter(
      (one) =>
        (pool === null || one.pool === pool) &&
        tags.every((tag) => one.tags.includes(tag)) &&
        one.cores >= ocpus &&
        one.memory >= mem,
    )
    const id = what.join(', ')
    quotas[id] = count(`Machines with ${id}`, fits)
    return { [id]: 1, [ALL]: 1 }
  })
  return { quotas, machines }
}

const count = (name: string, machines: AcmMachine[]): Quota => ({
  name,
  unit: 'machines',
  limit: machines.length,
  used: machines.filter(({ status }) => status !== 'Ready').length,
  link: null,
})
