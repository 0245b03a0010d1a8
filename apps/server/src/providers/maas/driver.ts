import * as z from 'zod/mini'
import type { AcmMachine } from '@flotilla/contract/clouds/acm'
import { found } from '../found'
import type { Driver, DriverOptions } from '../provider'
import { forEach, makeUntil, unlessNotFound } from '../waiting'
import { makeChoices } from './choices'
import { maasClient, read } from './client'
import { readyMachines } from './quota'
import { callMaas, MaasError } from './request'
import { TAG } from './variables'

const Me = z.object({ username: z.string(), is_superuser: z.boolean() })
const Tag = z.object({ name: z.string() })
const Power = z.object({ state: z.string() })
const ADMIN = 'administrator, to tag the machines of a cluster'

const isNotFound = (error: unknown) => error instanceof MaasError && error.status === 404

export function driver({ credential, region, pollMs }: DriverOptions): Driver {
  const until = makeUntil(pollMs)
  const client = maasClient(credential)
  const get = (path: string) => callMaas(credential, { method: 'GET', path })
  const post = (path: string, form?: [string, string][]) =>
    callMaas(credential, { method: 'POST', path, ...(form && { form }) })
  const whoIs = async () => read(Me, await get('users/?op=whoami'))

  const isOn = async (id: string) => {
    const { state } = read(Power, await get(`machines/${encodeURIComponent(id)}/?op=query_power_state`))
    return state
  }
  const bring = async (machines: string[], to: 'on' | 'off', signal: AbortSignal) => {
    signal.throwIfAborted()
    await forEach(machines, async (id) => {
      // The system is shut down gracefully if the machine supports it.
      await post(
        `machines/${encodeURIComponent(id)}/?op=power_${to}`,
        to === 'off' ? [['stop_mode', 'soft']] : [],
      )
      await until(`${id} is ${to}`, async () => (await isOn(id)) === to, signal)
    })
  }

  /** A released machine keeps its tags: it is only ours while it is allocated to us and has exactly one of our tags. */
  const clusterOf = ({ owner, tags }: AcmMachine, me: string): string | null => {
    const marks = tags.filter((name) => name.startsWith(TAG))
    return owner === me && marks.length === 1 ? (marks[0]?.slice(TAG.length) ?? null) : null
  }

  return {
    async whoAmI() {
      const { username, is_superuser } = await whoIs()
      return { account: username, checked: [ADMIN], missing: is_superuser ? [] : [ADMIN] }
    },
    choices: makeChoices(client, get),
    quotas: async (machines, zone) => readyMachines(await client.machines(), machines, zone),
    stop: (machines, signal) => bring(machines, 'off', signal),
    start: (machines, signal) => bring(machines, 'on', signal),
    async find(clusterId) {
      const [{ username }, machines, tags] = await Promise.all([
        whoIs(),
        client.machines(),
        get('tags/').then((answer) => read(z.array(Tag), answer)),
      ])
      const all = [
        ...machines.map((machine) =>
          found({
            id: machine.id,
            type: 'maas_instance',
            kind: 'machine',
            name: machine.hostname,
            clusterId: clusterOf(machine, username),
            region,
          }),
        ),
        ...tags.map(({ name }) =>
          found({
            id: name,
            type: 'maas_tag',
            kind: 'other',
            name,
            clusterId: name.startsWith(TAG) ? name.slice(TAG.length) : null,
            region,
          }),
        ),
      ]
      return all.filter((one) => one.clusterId !== null && (clusterId ?? one.clusterId) === one.clusterId)
    },
    async remove({ id, type, clusterId }, signal) {
      signal.throwIfAborted()
      if (type === 'maas_tag')
        return void (await unlessNotFound(
          callMaas(credential, { method: 'DELETE', path: `tags/${encodeURIComponent(id)}/` }),
          isNotFound,
        ))
      if (type !== 'maas_instance') throw new Error(`This console cannot remove ${type}`)
      const [{ username }, machines] = await Promise.all([whoIs(), client.machines()])
      const machine = machines.find((one) => one.id === id)
      // The machine may have been allocated to another user.
      if (!machine || machine.owner !== username) return
      // The tag is removed first, so that the machine does not count as ours after its next allocation.
      if (clusterId !== null)
        await unlessNotFound(
          post(`tags/${encodeURIComponent(TAG + clusterId)}/?op=update_nodes`, [['remove', id]]),
          isNotFound,
        )
      if (!/releas|eras/i.test(machine.status)) await client.release([id])
      const isFree = async () => (await client.machines()).find((one) => one.id === id)?.owner !== username
      await until(`${id} is released`, isFree, signal)
    },
  }
}
