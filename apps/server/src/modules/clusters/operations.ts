import { countText } from '@flotilla/contract/count-text'
import type { DiagnosisStep } from '@flotilla/contract/clusters/entity'
import { clusterMay, clusterMayNot } from '@flotilla/contract/clusters/states'
import type { NodeDetail } from '@flotilla/contract/clusters/tables'
import type * as z from 'zod/mini'
import type { Database } from '../../db/database'
import { explain } from '../../explain'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { isInNodeList } from '../../schedulers/node-list'
import { diagnose } from '../../transports/diagnose'
import { TransportError } from '../../transports/error'
import { record } from '../activities/activities'
import type { Snapshots } from '../snapshots/snapshots'
import { ask, asFailure, refusing } from './connection/query'
import type { Clusters } from './clusters'
import type { Connections } from './connection/connections'
import type { Dialing } from './connection/dialing'
import type { Reach } from './connection/connection'
import type { Poller } from './watch/poller'
import type { FoundCluster } from './store'
import { connectionSettings } from './connection/settings'

const operations = ['hold', 'release', 'cancel'] as const
type JobOperation = (typeof operations)[number]
const isOperation = (name: string): name is JobOperation => (operations as readonly string[]).includes(name)

/** So many nodes or jobs at a time: each is a command, and a long selection is many. */
const AT_ONCE = 4

type Options = {
  db: Database
  dialing: Dialing
  clusters: Clusters
  connections: Connections
  snapshots: Snapshots
  poller: Pick<Poller, 'kick'>
  personNamed(username: string): Promise<{ id: string; username: string; key(): Promise<string> } | null>
}

export type Operations = ReturnType<typeof makeOperations>
/** What is done to the nodes and the queue of a cluster that runs. */
export function makeOperations({
  db,
  dialing,
  clusters,
  connections,
  snapshots,
  poller,
  personNamed,
}: Options) {
  /** As the account that a key is put into: one's own, anybody's for an admin, and the owner's of the head node itself. */
  const reachAs = async (
    me: Caller,
    cluster: FoundCluster,
    account: string,
    context: RequestContext,
  ): Promise<Reach> => {
    if (connectionSettings(cluster).head?.username === account) return connections.admin(cluster)
    // Whoever adds a key to an account is that account from then on.
    if (account !== me.username && !context.adminScope)
      return fail('forbidden', {
        fields: { targetUsername: 'Only an admin adds a key to the account of somebody else' },
      })
    const why = account === me.username ? await connections.whyNoAccount(cluster, me) : null
    if (why !== null) fail('no_account', { message: why })
    const person = (await personNamed(account)) ?? fail('not_found', { message: `No user named ${account}` })
    return connections.person(cluster, person, person.key)
  }

  /** Does one thing to each name, as the account that looks after the cluster. */
  const each = async (
    me: Caller,
    id: string,
    names: string[],
    what: string,
    context: RequestContext,
    work: (reach: Reach, name: string) => Promise<void>,
  ): Promise<void> => {
    const cluster = await clusters.mine(me, id, context)
    if (!clusterMay('operate', cluster.state))
      fail('wrong_state', {
        message: clusterMayNot('operate', cluster.state),
        extras: { state: cluster.state },
      })
    const reach = await refusing(connections.admin(cluster))
    const done: string[] = []
    try {
      const waiting = [...names]
      const worker = async () => {
        for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
          try {
            await context.recheck()
            await refusing(work(reach, name))
            done.push(name)
          } catch (error) {
            // What comes after a refusal is left alone.
            waiting.length = 0
            throw error
          }
      }
      const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker))
      for (const end of ended) if (end.status === 'rejected') throw end.reason
    } finally {
      // Also when one of them was refused: those before it were not.
      if (done.length > 0)
        await db.transaction((tx) =>
          record(tx, me, context, {
            action: what,
            subject: `cluster ${cluster.name}`,
            detail: done.join(', ').slice(0, 500),
            clusterId: id,
          }),
        )
      poller.kick(id)
    }
  }

  return {
    drain: (me: Caller, id: string, nodes: string[], reason: string, context: RequestContext) =>
      each(me, id, nodes, 'nodes drained', context, (reach, name) =>
        ask(reach, reach.scheduler.drain(name, reason)),
      ),
    resume: (me: Caller, id: string, nodes: string[], context: RequestContext) =>
      each(me, id, nodes, 'nodes resumed', context, (reach, name) =>
        ask(reach, reach.scheduler.resume(name)),
      ),
    jobs(me: Caller, id: string, operation: string, jobs: string[], context: RequestContext): Promise<void> {
      if (!isOperation(operation)) return fail('not_found')
      return each(me, id, jobs, `jobs ${operation}`, context, (reach, job) =>
        ask(reach, reach.scheduler[operation](job)),
      )
    },

    async node(me: Caller, id: string, name: string): Promise<z.output<typeof NodeDetail>> {
      await clusters.find(me, id)
      const [node, running] = await Promise.all([snapshots.node(id, name), snapshots.running(id)])
      return {
        node,
        jobs: running.filter((job) => isInNodeList(job.nodeList, name)),
        native: { state: node.nativeState, partitions: node.partitions.join(', ') },
      }
    },

    /** Tries the way to a cluster step by step, as its admin account, up to the resource manager's answer. */
    async test(me: Caller, cluster: FoundCluster): Promise<z.output<typeof DiagnosisStep>[]> {
      await dialing.count(me)
      const steps: z.output<typeof DiagnosisStep>[] = await diagnose(connections.target(cluster))
      if (steps.some(({ ok }) => !ok)) return steps
      // Asking an executor that is not set up yet would set it up.
      if (connectionSettings(cluster).manager === 'none' && !clusterMay('operate', cluster.state)) {
        const message = 'The built-in executor starts when the cluster is deployed'
        return [...steps, { step: 'resource manager', ok: true, message, ms: 0 }]
      }
      const began = Date.now()
      const answer = await connections
        .trying(cluster, (reach) => ask(reach, reach.scheduler.nodes()))
        .then(
          (nodes) => ({
            ok: true,
            message: `The resource manager answers: ${countText(nodes.length, 'node')}`,
          }),
          (error: unknown) => ({ ok: false, message: explain(error) }),
        )
      return [...steps, { step: 'resource manager', ...answer, ms: Date.now() - began }]
    },

    /** Lets a key log in to an account on the cluster, beside those that can already. */
    async uploadKey(
      me: Caller,
      id: string,
      key: string,
      account: string,
      context: RequestContext,
    ): Promise<void> {
      const cluster = await clusters.mine(me, id, context)
      if (!/^(ssh-(ed25519|rsa)|ecdsa-sha2-nistp\d+|sk-[\w@.-]+) [A-Za-z0-9+/=]+( [^\n]*)?$/.test(key))
        fail('bad_input', { fields: { sshKey: 'This is not a public key in the form that OpenSSH uses' } })
      await dialing.countNew(me, cluster)
      const reach = await refusing(reachAs(me, cluster, account, context))
      const folder = reach.transport.files(reach.home)
      await refusing(folder.mkdir('.ssh', { parents: true }))
      const before = await folder
        .readText('.ssh/authorized_keys', { maxBytes: 1_000_000 })
        .catch((error: unknown) => {
          // Only a file that is not there is empty: another one would be lost.
          if (error instanceof TransportError && error.reason === 'not found') return ''
          throw asFailure(error)
        })
      const lines = before === '' || before.endsWith('\n') ? before : `${before}\n`
      const options = { how: 'replace', permissions: 0o600 } as const
      await context.recheck()
      if (!before.split('\n').includes(key))
        await refusing(folder.write('.ssh/authorized_keys', `${lines}${key}\n`, options))
      await db.transaction((tx) =>
        record(tx, me, context, {
          action: 'SSH key uploaded',
          subject: `cluster ${cluster.name}`,
          detail: account,
          clusterId: id,
        }),
      )
    },
  }
}
