import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import type { Database } from '../../../db/database'
import { isLow, LOW_DISK, roomOf } from '../../../disk/disk-room'
import { builtin, type BuiltinOptions, type Fences } from '../../../schedulers/builtin'
import { schedulers } from '../../../schedulers/registry'
import type { Secrets } from '../../../secrets/secrets'
import { localTransport } from '../../../transports/local/local'
import type { LocalAccount, LocalOptions } from '../../../transports/local/process'
import type { DiagnosisTarget } from '../../../transports/diagnose'
import { consoleAccount, isRoot, mappedAccount, ownAccount } from '../accounts/this-machine'
import { headNodeAccount } from '../accounts/named-accounts'
import { accountNameOn, isOurs, makeBlockedReasons } from './account-blocked'
import { notAcceptedReason } from './acceptance'
import type { HeadNodePolicy } from './head-node-policy'
import { fail } from '../../../fail'
import { accountOn, timesRemoved } from '../accounts/accounts'
import { endLeftovers } from './executor-leftovers'
import type { ClusterConnection } from '../commands/connection'
import { environment, homeOf, makeSshAccess, type Head, type Login } from './ssh-access'
import type { StoredCluster } from '../stored-cluster'
import { connectionSettings, type ConnectionTarget } from './settings'

type Person = { id: string; username: string }
type Network = NonNullable<BuiltinOptions['network']>

/** How people on this machine are isolated from each other and, if all share the server's own account, from its files. */
export type Enclosure = {
  fences: Fences
  /**
   * The command prefix that runs a command as the account and inside its sandbox. Without a network for our own helpers,
   * which only handle files.
   */
  enter(account: LocalAccount, network?: Network): Promise<string[]>
  /** Maintains the folders that terminals use. */
  watch: NonNullable<LocalOptions['watch']>
}

/** Neither part needs shell quoting. */
const promptOf = ({ username }: Person, { name }: StoredCluster) => ({
  user: username,
  host: name.toLowerCase().replace(/[^\p{L}\p{N}._-]+/gu, '-'),
})

type Options = {
  db: Database
  secrets: Secrets
  dataDir: string
  headNodePolicy: HeadNodePolicy
  /** The command that starts the built-in executor. */
  executor: string[]
  /** The program that reads people's files on behalf of the server. */
  filesWorker: string
  /** Why people who are not admins cannot be isolated on this machine, or null if they can. */
  isolationBlockedReason: string | null
  /** Why a person may not use the console's own machine, or null. */
  machineBlockedReason: (userId: string) => Promise<string | null>
  /** Null where isolation is not possible. */
  enclosure: Enclosure | null
  /** What jobs and terminals on this machine may currently connect to. */
  network: () => Promise<Network>
  log: Logger
}

type OpenConnection = { openedWith: string; connection: Promise<ClusterConnection> }

export type Connections = ReturnType<typeof makeConnections>
/** Keeps one transport per cluster and account, opened on first use. */
export function makeConnections(options: Options) {
  const { db, dataDir, executor, filesWorker, enclosure, network } = options
  const { options: sshOptions, connect: ssh, clusterAuth } = makeSshAccess(options)
  const open = new Map<string, Map<string, OpenConnection>>()

  /** Reuses a connection while its settings stay the same: they may have been changed through another server. */
  const kept = (
    cluster: StoredCluster,
    account: string,
    make: () => Promise<ClusterConnection>,
    ...more: unknown[]
  ): Promise<ClusterConnection> => {
    const byAccount = open.get(cluster.id) ?? new Map<string, OpenConnection>()
    open.set(cluster.id, byAccount)
    const { sealed_given_key, private_address_allowed } = cluster
    const openedWith = JSON.stringify([
      connectionSettings(cluster),
      sealed_given_key,
      private_address_allowed,
      ...more,
    ])
    const known = byAccount.get(account)
    if (known?.openedWith === openedWith) return known.connection
    if (known) void closeAll([known])
    const made = { openedWith, connection: make() }
    byAccount.set(account, made)
    // Report a failure once and try again on the next use.
    made.connection.catch(() => byAccount.get(account) === made && byAccount.delete(account))
    return made.connection
  }
  const closeAll = async (connections: Pick<OpenConnection, 'connection'>[]): Promise<void> => {
    await Promise.allSettled(
      connections.map(async ({ connection }) => {
        const { transport, commands } = await connection
        await Promise.all([transport.close(), commands?.close()])
      }),
    )
  }

  const folderOf = (clusterId: string) => path.join(dataDir, 'clusters', clusterId)
  const spoolOf = (clusterId: string) => path.join(folderOf(clusterId), 'spool')

  /** The server talks to the executor as itself; the executor drops its privileges for each job. */
  const executorFor = (
    clusterId: string,
    runAs: LocalAccount | null,
    jobNetwork?: Network,
  ): Pick<ClusterConnection, 'scheduler' | 'commands'> => ({
    scheduler: builtin({ program: executor, spool: spoolOf(clusterId), runAs, network: jobNetwork }),
    commands: localTransport(),
  })

  /** The resource manager of this machine, as the server's own account or as another one. */
  const localManager = async (cluster: ConnectionTarget, as?: LocalAccount): Promise<ClusterConnection> => {
    const { manager, slurmConf } = connectionSettings(cluster)
    if (manager === 'none') throw new Error('the built-in executor has its own connection')
    // The programs are found through the server's own PATH, as they may be in /opt.
    const env = environment(slurmConf, process.env.PATH)
    const transport = localTransport({ ...(as && { as }), env, filesWorker })
    return {
      // An account's home may contain a mount that never responds, which would block the server.
      transport: { ...transport, connectToUnixSocket: undefined },
      scheduler: schedulers[manager],
      account: as?.username ?? 'the console',
      home: await homeOf(transport),
    }
  }

  /** Connects as the cluster's admin account. */
  const asAdmin = async (cluster: ConnectionTarget): Promise<ClusterConnection> => {
    const { transport, head, manager } = connectionSettings(cluster)
    if (transport === 'ssh')
      return ssh(cluster, { username: head?.username ?? '', auth: clusterAuth(cluster) })
    if (manager !== 'none') return localManager(cluster)
    const account = await consoleAccount(dataDir)
    // Job output is never read with access to the console's own files, even if the job ran with it.
    const enterFiles = isRoot || !enclosure ? [] : await enclosure.enter(account)
    return {
      ...executorFor(cluster.id, null),
      transport: localTransport({ enterFiles, filesWorker }),
      account: account.username,
      home: account.home,
    }
  }

  const admin = (cluster: StoredCluster): Promise<ClusterConnection> =>
    kept(cluster, '', () => asAdmin(cluster))

  /** How to log in to a head node as a person's own account. */
  const loginOf = async (
    cluster: StoredCluster,
    head: Head,
    person: Person,
    name: string,
    key: () => Promise<string>,
  ): Promise<Login> => {
    if (isOurs(cluster)) {
      // On machines that the console created, it creates the account.
      const sudoAs = await accountOn(db.kysely, cluster, person, await admin(cluster), await key())
      return { username: head.username, auth: clusterAuth(cluster), sudoAs }
    }
    // Only the host key that the person accepted is trusted, also when the connection is reopened later.
    const pinned = cluster.host_key !== null && { knownHostKey: () => cluster.host_key }
    if (head.accounts !== 'sudo') return { username: name, auth: { privateKey: await key() }, ...pinned }
    const login = { username: head.username, auth: clusterAuth(cluster), ...pinned }
    // The owner may act as the admin account if it is theirs.
    if (person.id === cluster.owner_id && name === head.username) return login
    const { transport } = await admin(cluster)
    return { ...login, sudoAs: await headNodeAccount(transport, name, head.username) }
  }

  const asPerson = async (
    cluster: StoredCluster,
    person: Person,
    name: string,
    key: () => Promise<string>,
    jobNetwork: Network | undefined,
  ): Promise<ClusterConnection> => {
    const { head, manager } = connectionSettings(cluster)
    if (head) return ssh(cluster, await loginOf(cluster, head, person, name, key))
    if (manager !== 'none') return localManager(cluster, isRoot ? await mappedAccount(name) : undefined)
    const account = await ownAccount(db.kysely, dataDir, person)
    const shared = !isRoot && !enclosure
    const enter = enclosure &&
      jobNetwork && {
        enter: await enclosure.enter(account, jobNetwork),
        enterFiles: await enclosure.enter(account),
        watch: enclosure.watch,
      }
    return {
      // Without isolation only admins get here, and admins may act as the server itself.
      ...executorFor(cluster.id, shared ? null : account, jobNetwork),
      transport: localTransport({ as: account, prompt: promptOf(person, cluster), filesWorker, ...enter }),
      requireRoom: () => void (isLow(roomOf(dataDir)) && fail('disk_full', { message: LOW_DISK })),
      account: person.username,
      home: account.home,
    }
  }

  /** Connects as the person's own account there. `key` returns the person's private key. */
  const connectAsPerson = async (
    cluster: StoredCluster,
    person: Person,
    key: () => Promise<string>,
  ): Promise<ClusterConnection> => {
    const reason = await notAcceptedReason(db.kysely, cluster, person)
    if (reason !== null) fail('no_account', { message: reason })
    const removals = isOurs(cluster) ? await timesRemoved(db.kysely, cluster, person) : 0
    const name = await accountNameOn(db.kysely, cluster, person)
    const { transport, manager } = connectionSettings(cluster)
    const jobNetwork = transport === 'local' && manager === 'none' ? await network() : undefined
    // Connections are kept by id: a name may be reused after its person was removed.
    return kept(
      cluster,
      person.id,
      () => asPerson(cluster, person, name, key, jobNetwork),
      removals,
      jobNetwork,
      cluster.host_key,
      name,
    )
  }

  return {
    /** What jobs on this machine must not see, for the executor. */
    fences: enclosure?.fences,

    /** The target of a connection test: the connection of the cluster's admin account. */
    target(cluster: ConnectionTarget): DiagnosisTarget {
      const { head, slurmConf } = connectionSettings(cluster)
      if (!head) return { kind: 'local', options: {} }
      const login = { username: head.username, auth: clusterAuth(cluster) }
      return { kind: 'ssh', options: sshOptions(cluster, head, slurmConf, login) }
    },

    /** Connects as the admin account, for polling, draining, and jobs run as admin. */
    admin,

    /** Uses a connection that is closed afterward, for clusters that are only being tested. */
    async withTestConnection<T>(
      cluster: ConnectionTarget,
      work: (connection: ClusterConnection) => Promise<T>,
    ): Promise<T> {
      const connection = asAdmin(cluster)
      try {
        return await work(await connection)
      } finally {
        await closeAll([{ connection }])
      }
    },

    person: connectAsPerson,

    /** The target of a test of a person's own connection. */
    async personTarget(
      cluster: StoredCluster,
      person: Person,
      key: () => Promise<string>,
    ): Promise<DiagnosisTarget> {
      const { head, slurmConf } = connectionSettings(cluster)
      if (!head) {
        const { transport, account } = await connectAsPerson(cluster, person, key)
        return { kind: 'connected', transport, account }
      }
      const name = await accountNameOn(db.kysely, cluster, person)
      const login = await loginOf(cluster, head, person, name, key)
      return { kind: 'ssh', options: sshOptions(cluster, head, slurmConf, login) }
    },

    ...makeBlockedReasons({ ...options, db: db.kysely }),

    /** Closes the connections to a cluster whose address or key changed, or that is gone. */
    async reset(clusterId: string): Promise<void> {
      const connections = [...(open.get(clusterId)?.values() ?? [])]
      open.delete(clusterId)
      await closeAll(connections)
    },
    /** Kills an executor that does not stop when asked to, with its jobs. */
    endExecutor: (clusterId: string) => endLeftovers(spoolOf(clusterId)),
    /** Removes the executor's files on this machine. */
    removeSpool: (clusterId: string) =>
      rm(folderOf(clusterId), { recursive: true, force: true, maxRetries: 5 }),
    async close(): Promise<void> {
      const all = [...open.values()].flatMap((byAccount) => [...byAccount.values()])
      open.clear()
      await closeAll(all)
    },
  }
}
