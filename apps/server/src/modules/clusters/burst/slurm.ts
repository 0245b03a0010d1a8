import type { BurstMode } from '@flotilla/contract/clusters/cloud'
import { acknowledge, readRequests, completed, SPOOL_FOLDER, nodeTargets } from '../../../burst/spool'
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

/** The prefix of the reasons that the console sets on nodes that accept no jobs. */
export const OURS = 'Flotilla:'
const LONGEST = 200

type SlurmState = {
  seen: { connection: ClusterConnection; nodes: NodeInfo[] }
  mode: BurstMode
  /** Nodes whose machines exist. */
  up: ReadonlySet<string>
  /** The group of every possible node. */
  groups: ReadonlyMap<string, number>
  breakers: Breakers
  begin(nodes: string[], up: boolean, why: string): Promise<boolean>
  log(text: string): Promise<void>
  now: number
}

/**
 * Slurm itself decides which nodes it needs: it writes requests on the head node, which the console reads over its own
 * connection. Fulfilled requests are acknowledged; for those that cannot be fulfilled, Slurm gets the reason.
 */
export async function reconcileSlurm(slurm: SlurmState): Promise<void> {
  const { seen, mode, up, groups, breakers, begin, log, now } = slurm
  const { connection, nodes } = seen
  const run = (command: MachineCommand) => runOn(connection, command)
  const spool = connection.transport.files(SPOOL_FOLDER)
  const { requests, unreadable } = await readRequests(spool)
  if (unreadable.length > 0) {
    await log(`Slurm wrote unreadable requests: ${unreadable.join(', ')}`)
    await acknowledge(spool, unreadable)
  }
  const wanted = nodeTargets(requests)
  const breakerOf = (node: string): Breaker | undefined => breakers.up.get(groups.get(node) ?? -1)
  const isPaused = (node: string) => now < (breakerOf(node)?.retryAt ?? 0)

  // We set these nodes down, but the pause is over or a user changed the mode: Slurm may request them again.
  const allowed = nodes
    .filter(({ name, reason, nativeState }) => {
      return (
        reason.startsWith(OURS) && !isPaused(name) && !up.has(name) && !nativeState.includes('POWERING_DOWN')
      )
    })
    .map(({ name }) => name)
  if (allowed.length > 0) {
    await run(allowNodes(allowed))
    await log(`Slurm may request ${allowed.join(', ')} again`)
  }
  // Slurm expects machines that do not exist: bursting was off before, or a user removed them.
  const strays = nodes
    .filter(({ state, note, name }) => {
      const counted = state === 'down' || state === 'unknown' || (state === 'available' && note === '')
      return counted && groups.has(name) && !up.has(name) && !wanted.some(({ node }) => node === name)
    })
    .map(({ name }) => name)
    .filter((name) => !allowed.includes(name))
  if (strays.length > 0) {
    await run(sleepNodes(strays))
    await log(`Notified Slurm that there is no machine for ${strays.join(', ')}`)
  }

  const missing = wanted.filter(({ node, action }) => action === 'resume' && !up.has(node))
  const refused = missing.filter(({ node, time }) => {
    const breaker = breakerOf(node)
    return !groups.has(node) || (breaker && (time <= breaker.failedAt || isPaused(node)))
  })
  for (const [reason, names] of byReason(refused, ({ node }) => breakerOf(node)?.cause)) {
    const text = reason ?? 'this cluster no longer has such a node'
    await run(failNodes(names, `${OURS} ${text.replaceAll(/\s+/g, ' ').slice(0, LONGEST)}`))
    await log(`Notified Slurm that ${names.join(', ')} did not come up: ${text}`)
  }
  const done = wanted
    .filter((request) => refused.includes(request) || (request.action === 'resume') === up.has(request.node))
    .map(({ node }) => node)
  await acknowledge(spool, completed(requests, new Set(done)))

  const coming = missing.filter((request) => !refused.includes(request)).map(({ node }) => node)
  const asleep = nodes
    .filter(
      ({ name, note, reason }) => note === 'not started' && !reason.startsWith(OURS) && groups.has(name),
    )
    .map(({ name }) => name)
    .filter((name) => !up.has(name) && !isPaused(name) && !wanted.some(({ node }) => node === name))
  const whole = asleep.filter(
    (name) =>
      mode === 'always' || (mode === 'max' && coming.some((one) => groups.get(one) === groups.get(name))),
  )
  // Slurm must expect them, or it would power them down right away.
  if (whole.length > 0) await run(wakeNodes(whole))
  const all = [...coming, ...whole]
  const going = wanted
    .filter(({ node, action }) => action === 'suspend' && up.has(node))
    .map(({ node }) => node)
  if (all.length > 0) await begin(all, true, whole.length > 0 ? wholeText(mode) : 'requested by Slurm')
  else if (going.length > 0 && now >= (breakers.down?.retryAt ?? 0))
    await begin(going, false, 'no longer needed by Slurm')
}

const wholeText = (mode: BurstMode) =>
  mode === 'always'
    ? 'the burst mode is always'
    : 'some were requested by Slurm; the whole group is brought up'

function byReason<T extends { node: string }>(list: T[], reasonOf: (one: T) => string | undefined) {
  const found = new Map<string | undefined, string[]>()
  for (const one of list) {
    const reason = reasonOf(one)
    found.set(reason, [...(found.get(reason) ?? []), one.node])
  }
  return found
}
