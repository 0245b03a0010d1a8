import type { BurstMode } from '@flotilla/contract/clusters/cloud'
import { acknowledge, readRequests, settled, SPOOL_FOLDER, nodeTargets } from '../../../burst/spool'
import {
  allowNodes,
  failNodes,
  sleepNodes,
  wakeNodes,
  type MachineCommand,
} from '../../../cloud-init/commands'
import type { NodeInfo } from '../../../schedulers/scheduler'
import { runOn } from '../commands/run-on'
import type { ClusterConnection } from '../commands/connection'
import type { Breaker, Breakers } from './breaker'

/** By this we know the nodes again that we closed because they did not come. */
const OURS = 'Flotilla:'
const LONGEST = 200

type SlurmLook = {
  seen: { connection: ClusterConnection; nodes: NodeInfo[] }
  mode: BurstMode
  /** Nodes whose machines exist. */
  up: ReadonlySet<string>
  /** Of every node that there can be. */
  groups: ReadonlyMap<string, number>
  breakers: Breakers
  begin(nodes: string[], up: boolean, why: string): Promise<boolean>
  say(text: string): Promise<void>
  now: number
}

/**
 * Slurm itself knows which nodes it wants: it writes that down on the head node, and the console reads it over its own
 * link. What is done is taken off the list; what cannot be done Slurm is told, with the reason.
 */
export async function lookAtSlurm(look: SlurmLook): Promise<void> {
  const { seen, mode, up, groups, breakers, begin, say, now } = look
  const { connection, nodes } = seen
  const tell = (command: MachineCommand) => runOn(connection, command)
  const spool = connection.transport.files(SPOOL_FOLDER)
  const { requests, unreadable } = await readRequests(spool)
  if (unreadable.length > 0) {
    await say(`Slurm wrote requests that cannot be read: ${unreadable.join(', ')}`)
    await acknowledge(spool, unreadable)
  }
  const wanted = nodeTargets(requests)
  const breakerOf = (node: string): Breaker | undefined => breakers.up.get(groups.get(node) ?? -1)
  const rests = (node: string) => now < (breakerOf(node)?.retryAt ?? 0)

  // Not there by our word, but its time is over, or a user changed the mode: Slurm may ask for it again.
  const allowed = nodes
    .filter(({ name, reason, nativeState }) => {
      return (
        reason.startsWith(OURS) && !rests(name) && !up.has(name) && !nativeState.includes('POWERING_DOWN')
      )
    })
    .map(({ name }) => name)
  if (allowed.length > 0) {
    await tell(allowNodes(allowed))
    await say(`Slurm may ask for ${allowed.join(', ')} again`)
  }
  // Slurm counts on machines that are not there: bursting was off before, or a user took them away by hand.
  const strays = nodes
    .filter(({ state, note, name }) => {
      const counted = state === 'down' || state === 'unknown' || (state === 'available' && note === '')
      return counted && groups.has(name) && !up.has(name) && !wanted.some(({ node }) => node === name)
    })
    .map(({ name }) => name)
    .filter((name) => !allowed.includes(name))
  if (strays.length > 0) {
    await tell(sleepNodes(strays))
    await say(`Slurm was told that there is no machine for ${strays.join(', ')} now`)
  }

  const missing = wanted.filter(({ node, action }) => action === 'resume' && !up.has(node))
  const refused = missing.filter(({ node, time }) => {
    const breaker = breakerOf(node)
    return !groups.has(node) || (breaker && (time <= breaker.failedAt || rests(node)))
  })
  for (const [reason, names] of byReason(refused, ({ node }) => breakerOf(node)?.cause)) {
    const text = reason ?? 'this cluster has no such node any more'
    await tell(failNodes(names, `${OURS} ${text.replaceAll(/\s+/g, ' ').slice(0, LONGEST)}`))
    await say(`Slurm was told that ${names.join(', ')} did not come: ${text}`)
  }
  const done = wanted
    .filter((wish) => refused.includes(wish) || (wish.action === 'resume') === up.has(wish.node))
    .map(({ node }) => node)
  await acknowledge(spool, settled(requests, new Set(done)))

  const coming = missing.filter((wish) => !refused.includes(wish)).map(({ node }) => node)
  const asleep = nodes
    .filter(
      ({ name, note, reason }) => note === 'not started' && !reason.startsWith(OURS) && groups.has(name),
    )
    .map(({ name }) => name)
    .filter((name) => !up.has(name) && !rests(name) && !wanted.some(({ node }) => node === name))
  const whole = asleep.filter(
    (name) =>
      mode === 'always' || (mode === 'max' && coming.some((one) => groups.get(one) === groups.get(name))),
  )
  // Slurm is to expect them, or it would let them go at once.
  if (whole.length > 0) await tell(wakeNodes(whole))
  const all = [...coming, ...whole]
  const going = wanted
    .filter(({ node, action }) => action === 'suspend' && up.has(node))
    .map(({ node }) => node)
  if (all.length > 0) await begin(all, true, whole.length > 0 ? wholeText(mode) : 'Slurm asks for them')
  else if (going.length > 0 && now >= (breakers.down?.retryAt ?? 0))
    await begin(going, false, 'Slurm needs them no more')
}

const wholeText = (mode: BurstMode) =>
  mode === 'always'
    ? 'all nodes are to be up always'
    : 'Slurm asks for some, and the whole of their group comes'

function byReason<T extends { node: string }>(list: T[], reasonOf: (one: T) => string | undefined) {
  const found = new Map<string | undefined, string[]>()
  for (const one of list) {
    const reason = reasonOf(one)
    found.set(reason, [...(found.get(reason) ?? []), one.node])
  }
  return found
}
