import type { Driver, DriverOptions } from '../provider'
import { forEach, makeUntil } from '../waiting'
import { makeChoices } from './account/choices'
import { clientsOf } from './clients'
import { makeFind } from './find'
import { makeQuotas } from './account/quota'
import { makeRemove } from './remove'
import { makeWhoAmI } from './rights'
import { sizes } from './shapes'

/** The names of availability domains begin with a prefix of the tenancy: Uocm:PHX-AD-1. */
const isDomain = (name: string, zone: string) =>
  [name, name.slice(name.indexOf(':') + 1)].some((one) => one.toLowerCase() === zone.toLowerCase())

export function driver(options: DriverOptions): Driver {
  const clients = clientsOf(options)
  const { compute, identity, compartmentId } = clients
  const until = makeUntil(options.pollMs)
  const stateOf = async (instanceId: string): Promise<string> =>
    (await compute.getInstance({ instanceId })).instance.lifecycleState

  const bring = async (
    machines: string[],
    action: 'SOFTSTOP' | 'START',
    state: 'STOPPED' | 'RUNNING',
    signal: AbortSignal,
  ) => {
    signal.throwIfAborted()
    await forEach(machines, async (instanceId) => {
      if ((await stateOf(instanceId)) !== state) await compute.instanceAction({ instanceId, action })
      await until(`${instanceId} is ${state}`, async () => (await stateOf(instanceId)) === state, signal)
    })
  }
  const zoneName = async (zone: string) => {
    const { items } = await identity.listAvailabilityDomains({ compartmentId })
    const names = items.flatMap(({ name }) => name ?? [])
    const named = names.find((name) => isDomain(name, zone))
    if (named !== undefined) return named
    throw new Error(`${options.region} has no availability domain ${zone}. It has ${names.join(', ')}.`)
  }
  return {
    whoAmI: makeWhoAmI(clients),
    // The system is shut down gracefully; after 15 minutes, Oracle powers off machines that have not stopped.
    stop: (machines, signal) => bring(machines, 'SOFTSTOP', 'STOPPED', signal),
    start: (machines, signal) => bring(machines, 'START', 'RUNNING', signal),
    zoneName,
    quotas: makeQuotas(clients, options, zoneName),
    sizes: () => sizes(compute, compartmentId),
    find: makeFind(clients, options.region),
    remove: makeRemove(clients, until),
    choices: makeChoices(clients),
  }
}
