import * as z from 'zod/mini'
import type { Driver, DriverOptions } from '../provider'
import { forEach, makeUntil } from '../waiting'
import { makeChoices } from './choices'
import { clientOf } from './client'
import { makeFind } from './find'
import { makeQuotas } from './quota'
import { makeRemove } from './remove'
import { makeWhoAmI } from './rights'

const Instance = z.object({
  status: z.string(),
  disks: z._default(z.array(z.object({ type: z.string() })), []),
})

export function driver(options: DriverOptions): Driver {
  const until = makeUntil(options.pollMs)
  const gcp = clientOf(options, until)
  const fetchInstance = async (id: string, signal: AbortSignal) => Instance.parse(await gcp.get(id, signal))
  const becomes = (id: string, status: string, signal: AbortSignal) =>
    until(`${id} is ${status}`, async () => (await fetchInstance(id, signal)).status === status, signal)

  return {
    whoAmI: makeWhoAmI(gcp),
    stop: (machines, signal) =>
      forEach(machines, async (id) => {
        const { status, disks } = await fetchInstance(id, signal)
        // Google requires confirmation that data on local disks is lost; other clouds lose it too, without asking.
        const lost = disks.some(({ type }) => type === 'SCRATCH') ? '?discardLocalSsd=true' : ''
        if (status !== 'TERMINATED') await gcp.carryOut('POST', `${id}/stop${lost}`, signal)
        await becomes(id, 'TERMINATED', signal)
      }),
    start: (machines, signal) =>
      forEach(machines, async (id) => {
        const { status } = await fetchInstance(id, signal)
        if (status !== 'RUNNING') await gcp.carryOut('POST', `${id}/start`, signal)
        await becomes(id, 'RUNNING', signal)
      }),
    find: makeFind(gcp, options.region),
    remove: makeRemove(gcp),
    choices: makeChoices(gcp, options.region),
    quotas: makeQuotas(gcp, options),
  }
}
