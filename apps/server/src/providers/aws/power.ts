import { countText } from '@flotilla/contract/count-text'
import {
  paginateDescribeInstances,
  StartInstancesCommand,
  StopInstancesCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2'
import type { Driver } from '../provider'
import type { Until } from '../waiting'

/** The states of machines, unordered. A deleted machine is `terminated` for an hour. */
export async function statesOf(ec2: EC2Client, ids: string[], signal: AbortSignal): Promise<string[]> {
  const states: string[] = []
  // With a filter, because a request with a list of ids fails as a whole if one of them no longer exists.
  const pages = paginateDescribeInstances(
    { client: ec2 },
    { Filters: [{ Name: 'instance-id', Values: ids }] },
    { abortSignal: signal },
  )
  for await (const { Reservations = [] } of pages)
    for (const { Instances = [] } of Reservations)
      for (const { State } of Instances) states.push(State?.Name ?? '')
  return states
}

/** The maximum number of values in a filter. */
const MOST = 200

export function makePower(ec2: EC2Client, until: Until): Pick<Driver, 'stop' | 'start'> {
  const inParts = async (machines: string[], work: (part: string[]) => Promise<void>) => {
    for (let at = 0; at < machines.length; at += MOST) await work(machines.slice(at, at + MOST))
  }
  const all = (what: string, part: string[], state: string, signal: AbortSignal) =>
    until(
      `${countText(part.length, 'AWS machine')} ${part.length === 1 ? 'is' : 'are'} ${what}`,
      async () => {
        const states = await statesOf(ec2, part, signal)
        return states.length >= part.length && states.every((one) => one === state)
      },
      signal,
    )
  return {
    async stop(machines, signal) {
      const abortSignal = signal
      await inParts(machines, async (InstanceIds) => {
        await ec2.send(new StopInstancesCommand({ InstanceIds }), { abortSignal })
      })
      await inParts(machines, (part) => all('stopped', part, 'stopped', signal))
    },
    async start(machines, signal) {
      const abortSignal = signal
      await inParts(machines, async (InstanceIds) => {
        await ec2.send(new StartInstancesCommand({ InstanceIds }), { abortSignal })
      })
      await inParts(machines, (part) => all('running', part, 'running', signal))
    },
  }
}
