import { isAdmin } from '@flotilla/contract/access'
import { countText } from '@flotilla/contract/count-text'
import type { DiagnosisStep } from '@flotilla/contract/clusters/entity'
import { isClusterActionAllowed, clusterBlockedReason } from '@flotilla/contract/clusters/states'
import type { NodeDetail } from '@flotilla/contract/clusters/tables'
import { messages } from '@flotilla/contract/messages'
import type * as z from 'zod/mini'
import type { Database } from '../../db/database'
import { explain } from '../../explain'
import { fail, Failure } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { isInNodeList } from '../../schedulers/node-list'
import { eachOf } from '../../timing/workers'
import { diagnose } from '../../transports/diagnose'
import { TransportError } from '../../transports/error'
import { record, subjectOf } from '../activities/activities'
import type { Snapshots } from '../snapshots/snapshots'
import { query, asFailure, withUserFacingErrors } from './commands/query'
import type { Clusters } from './clusters'
import type { Connections } from './connection/connections'
import type { HeadNodePolicy } from './connection/head-node-policy'
import type { ClusterConnection } from './commands/connection'
import { queueViewer } from './views/own-jobs'
import type { Poller } from './watch/poller'
import type { StoredCluster } from './stored-cluster'
import { connectionSettings, type ConnectionTarget } from './connection/settings'

const operations = ['hold', 'release', 'cancel', 'purge'] as const
type JobOperation = (typeof operations)[number]
const isOperation = (name: string): name is JobOperation => (operations as readonly string[]).includes(name)

/** How many nodes or jobs are processed concurrently: each one is a command, and selections can be long. */
const AT_ONCE = 4

type Refused = { name: string; reason: string }

type Options = {
  db: Database
  headNodePolicy: HeadNodePolicy
  clusters: Clusters
  connections: Connections
  snapshots: Snapshots
  poller: Pick<Poller, 'kick'>
  personNamed(username: string): Promise<{ id: string; username: string; key(): Promise<string> } | null>
}

export type Operations = ReturnType<typeof makeOperations>
/** Operations on the nodes and the queue of a running cluster. */
export function makeOperations({
  db,
  headNodePolicy,
  clusters,
  connections,
  snapshots,
  poller,
  personNamed,
}: Options) {
  /** Connects as the account that gets a key: the caller's own, for admins anyone's, for owners the head node's. */
  const connectAs = async (
    me: Caller,
    cluster: StoredCluster,
    account: string,
    context: RequestContext,
  ): Promise<ClusterConnection> => {
    if (connectionSettings(cluster).head?.username === account) return connections.admin(cluster)
    // A user who adds a key to an account can act as that account from then on.
    if (account !== me.username && !context.adminScope)
      return fail('forbidden', {
        fields: { targetUsername: 'Only admins can add a key to someone else’s account' },
      })
    const blocked = account === me.username ? await connections.accountBlockedReason(cluster, me) : null
    if (blocked !== null) fail('no_account', { message: blocked })
    const person = (await personNamed(account)) ?? fail('not_found', { message: `No user named ${account}` })
    return connections.person(cluster, person, person.key)
  }

  /**
   * Runs one operation for each name, as the cluster's admin account. A job or node that is refused does not stop the
   * others; a cluster that does not answer does. Fails only if it succeeded for none.
   */
  const each = async (
    me: Caller,
    id: string,
    names: string[],
    what: 'nodes drained' | 'nodes resumed' | `jobs ${JobOperation}`,
    context: RequestContext,
    work: (connection: ClusterConnection, name: string) => Promise<void>,
  ): Promise<Refused[]> => {
    const cluster = await clusters.mine(me, id, context)
    if (!isClusterActionAllowed('operate', cluster.state))
      fail('wrong_state', {
        message: clusterBlockedReason('operate', cluster.state),
        extras: { state: cluster.state },
      })
    const connection = await withUserFacingErrors(connections.admin(cluster))
    const done: string[] = []
    const refused: (Refused & { error: unknown })[] = []
    const waiting = names.values()
    try {
      await eachOf(waiting, AT_ONCE, async (name) => {
        try {
          await context.recheck()
          await withUserFacingErrors(work(connection, name))
          done.push(name)
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          const skipped = error.code === 'scheduler_refused' ? [] : waiting
          for (const failed of [name, ...skipped])
            refused.push({ name: failed, reason: error.message, error })
        }
      })
    } finally {
      // What succeeded is recorded even if others were refused.
      if (done.length > 0)
        await db.transaction((tx) =>
          record(tx, me, context, {
            action: what,
            subject: subjectOf('cluster', cluster),
            detail: done.join(', ').slice(0, 500),
          }),
        )
      poller.kick(id)
    }
    const [first] = refused
    if (first && done.length === 0) throw first.error
    return refused.map(({ name, reason }) => ({ name, reason }))
  }

  return {
    drain: (me: Caller, id: string, nodes: string[], reason: string, context: RequestContext) =>
      each(me, id, nodes, 'nodes drained', context, (connection, name) =>
        query(connection, connection.scheduler.drain(name, reason)),
      ),
    resume: (me: Caller, id: string, nodes: string[], context: RequestContext) =>
      each(me, id, nodes, 'nodes resumed', context, (connection, name) =>
        query(connection, connection.scheduler.resume(name)),
      ),
    jobs(
      me: Caller,
      id: string,
      operation: string,
      jobs: string[],
      context: RequestContext,
    ): Promise<Refused[]> {
      if (!isOperation(operation)) return fail('not_found')
      // A purge removes a job from the queue that may still be running on an unresponsive node.
      if (operation === 'purge' && !isAdmin(me))
        return fail('forbidden', { message: messages.onlyAdminsPurge })
      return each(me, id, jobs, `jobs ${operation}`, context, (connection, job) => {
        const work = connection.scheduler[operation]
        return work ? query(connection, work(job)) : fail('wrong_state', { message: messages.cannotPurge })
      })
    },

    async node(me: Caller, id: string, name: string): Promise<z.output<typeof NodeDetail>> {
      const cluster = await clusters.find(me, id)
      const [node, running] = await Promise.all([
        snapshots.node(id, name),
        snapshots.running(id, queueViewer(me, cluster)),
      ])
      return {
        node,
        jobs: running.filter((job) => isInNodeList(job.nodeList, name)),
        native: { state: node.nativeState, partitions: node.partitions.join(', ') },
      }
    },

    /** Tests the connection to a cluster step by step, as its admin account, up to the resource manager's answer. */
    async test(me: Caller, cluster: ConnectionTarget): Promise<z.output<typeof DiagnosisStep>[]> {
      await headNodePolicy.count(me)
      const steps: z.output<typeof DiagnosisStep>[] = await diagnose(connections.target(cluster))
      if (steps.some(({ ok }) => !ok)) return steps
      // Querying an executor that is not set up yet would set it up.
      if (
        connectionSettings(cluster).manager === 'none' &&
        !isClusterActionAllowed('operate', cluster.state)
      ) {
        const message = 'The built-in executor starts when the cluster is deployed'
        return [...steps, { step: 'resource manager', ok: true, message, ms: 0 }]
      }
      const began = Date.now()
      const answer = await connections
        .withTestConnection(cluster, async (connection) => {
          const nodes = await query(connection, connection.scheduler.nodes())
          const question = connection.scheduler.hiddenJobs?.()
          const hidden = question && (await query(connection, question).catch(() => null))
          const answered = `The resource manager responded: ${countText(nodes.length, 'node')}`
          return [
            { step: 'resource manager', ok: true, message: answered },
            ...(hidden ? [{ step: 'see all jobs', ok: true, warning: true, message: hidden }] : []),
          ]
        })
        .catch((error: unknown) => [{ step: 'resource manager', ok: false, message: explain(error) }])
      return [...steps, ...answer.map((step) => ({ ...step, ms: Date.now() - began }))]
    },

    /** Adds a key to an account on the cluster, next to the keys it already has. */
    async uploadKey(
      me: Caller,
      id: string,
      key: string,
      account: string,
      context: RequestContext,
    ): Promise<void> {
      const cluster = await clusters.mine(me, id, context)
      if (!/^(ssh-(ed25519|rsa)|ecdsa-sha2-nistp\d+|sk-[\w@.-]+) [A-Za-z0-9+/=]+( [^\n]*)?$/.test(key))
        fail('bad_input', { fields: { sshKey: 'This is not a public key in OpenSSH format' } })
      await headNodePolicy.countNew(me, cluster)
      const connection = await withUserFacingErrors(connectAs(me, cluster, account, context))
      const folder = connection.transport.files(connection.home)
      await withUserFacingErrors(folder.mkdir('.ssh', { parents: true }))
      const before = await folder
        .readText('.ssh/authorized_keys', { maxBytes: 1_000_000 })
        .catch((error: unknown) => {
          // Only a missing file counts as empty: otherwise the keys in it would be lost.
          if (error instanceof TransportError && error.reason === 'not found') return ''
          throw asFailure(error)
        })
      const lines = before === '' || before.endsWith('\n') ? before : `${before}\n`
      const options = { how: 'replace', permissions: 0o600 } as const
      await context.recheck()
      if (!before.split('\n').includes(key))
        await withUserFacingErrors(folder.write('.ssh/authorized_keys', `${lines}${key}\n`, options))
      await db.transaction((tx) =>
        record(tx, me, context, {
          action: 'SSH key uploaded',
          subject: subjectOf('cluster', cluster),
          detail: account,
        }),
      )
    },
  }
}
