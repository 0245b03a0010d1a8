import type { Driver, DriverOptions } from '../provider'
import { forEach, makeUntil, withLimit } from '../waiting'
import { makeChoices } from './account/choices'
import { clientsOf, placeOf } from './clients'
import { makeFind } from './find'
import { makeMarketplace } from './account/marketplace'
import { makeQuotas } from './account/quota'
import { makeRemove } from './remove'
import { makeWhoAmI } from './rights'
import { sizes } from './skus'

export function driver(options: DriverOptions): Driver {
  const clients = clientsOf(options)
  const { virtualMachines } = clients.compute
  const until = makeUntil(options.pollMs)
  const poll = options.pollMs === undefined ? {} : { updateIntervalInMs: options.pollMs }

  const isIn = async (group: string, name: string, state: string, abortSignal: AbortSignal) => {
    const { statuses = [] } = await virtualMachines.instanceView(group, name, { abortSignal })
    return statuses.some(({ code }) => code === `PowerState/${state}`)
  }
  return {
    whoAmI: makeWhoAmI(clients, options),
    stop: (machines, signal) =>
      forEach(machines, async (id) => {
        const [group, name] = placeOf(id)
        const abortSignal = withLimit(signal)
        // Not powerOff, because machines that are only powered off are still billed.
        await virtualMachines.deallocate(group, name, { ...poll, abortSignal }).pollUntilDone({ abortSignal })
        await until(`${name} is deallocated`, () => isIn(group, name, 'deallocated', signal), signal)
      }),
    start: (machines, signal) =>
      forEach(machines, async (id) => {
        const [group, name] = placeOf(id)
        const abortSignal = withLimit(signal)
        await virtualMachines.start(group, name, { ...poll, abortSignal }).pollUntilDone({ abortSignal })
        await until(`${name} is running`, () => isIn(group, name, 'running', signal), signal)
      }),
    find: makeFind(clients, options.region),
    remove: makeRemove(clients, until, poll),
    choices: makeChoices(clients, options.region),
    quotas: makeQuotas(clients, options),
    ...makeMarketplace(clients, options),
    sizes: () => sizes(clients, options.region),
  }
}
