import type { Driver, DriverOptions } from '../provider'
import { forEach, makeUntil } from '../waiting'
import { clientsOf } from './clients'
import { makeFind } from './find'
import { makeRemove } from './remove'
import { makeWhoAmI } from './rights'

export function driver(options: DriverOptions): Driver {
  const clients = clientsOf(options)
  const { compute } = clients
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
  return {
    whoAmI: makeWhoAmI(clients),
    // The system is shut down gracefully; Oracle powers off what has not stopped after 15 minutes.
    stop: (machines, signal) => bring(machines, 'SOFTSTOP', 'STOPPED', signal),
    start: (machines, signal) => bring(machines, 'START', 'RUNNING', signal),
    find: makeFind(clients, options.region),
    remove: makeRemove(clients, until),
  }
}
