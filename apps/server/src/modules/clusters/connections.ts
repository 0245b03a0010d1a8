import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import { clusterMay, clusterMayNot } from '@flotilla/contract/clusters-states'
import type { Database } from '../../db/database'
import { isLow, LOW_DISK, roomOf } from '../../disk-room'
import { fail } from '../../fail'
import type { Caller } from '../../http/caller'
import { builtin, type BuiltinOptions, type Fences } from '../../schedulers/builtin'
import { schedulers } from '../../schedulers/registry'
import type { Secrets } from '../../secrets/secrets'
import { localTransport } from '../../transports/local'
import type { LocalAccount, LocalOptions } from '../../transports/local-process'
import type { DiagnosisTarget } from '../../transports/diagnose'
import { sshTransport, type SshOptions } from '../../transports/ssh'
import type { Transport } from '../../transports/transport'
import { consoleHome, isRoot, mappedAccount, ownAccount } from './accounts'
import { farAccount } from './named-accounts'
import { isOurs, whyNoAccount } from './why-no-account'
import { accountOn, timesRemoved } from '../accounts/accounts'
import { endLeftovers } from './leftovers'
import type { Reach } from './reach'
import type { FoundCluster } from './store'
import * as store from './store'
import { wayOf, type Way } from './way'

type Person = { id: string; username: string }
type Network = NonNullable<BuiltinOptions['network']>

/** How people on this machine are kept from each other and, where all share the server's own account, from its files. */
export type Enclosure = {
  fences: Fences
  /**
   * The words before a command that make it the account's and keep it inside. Without a network for helpers of our own,
   * which deal with files only.
   */
  enter(account: LocalAccount, network?: Network): Promise<string[]>
  /** Looks after what terminals use. */
  watch: NonNullable<LocalOptions['watch']>
}

const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin'
const environment = (slurmConf: string, folders: string | undefined): Record<string, string> => ({
  ...(slurmConf && { SLURM_CONF: slurmConf }),
  ...(folders && { PATH: `${folders}:${USUAL_PATH}` }),
})

/** Commands run in the home unless told otherwise. A way that does not work is closed again. */
async function homeOf(transport: Transport): Promise<string> {
  try {
    const { stdout } = await transport.exec(['pwd'], { timeoutMs: 15_000 })
    return stdout.trim()
  } catch (error) {
    await transport.close()
    throw error
  }
}

/** In one word, of characters that mean nothing to a shell. */
const promptOf = ({ username }: Person, { name }: FoundCluster) => ({
  user: username,
  host: name.toLowerCase().replace(/[^\p{L}\p{N}._-]+/gu, '-'),
})

type Head = NonNullable<Way['head']>
type Login = { username: string; auth: SshOptions['auth']; sudoAs?: string }
export const sameHost = (cluster: FoundCluster, { host, port }: Pick<Head, 'host' | 'port'>): boolean => {
  const saved = wayOf(cluster).head
  return saved?.host === host && saved.port === port
}
type Options = {
  db: Database
  secrets: Secrets
  dataDir: string
  /** How the built-in executor is started. */
  executor: string[]
  /** Why people who are not admins cannot be kept apart on this machine, or null when they can. */
  whyNotIsolated: string | null
  /** Null where it cannot be. */
  enclosure: Enclosure | null
  /** What jobs and terminals on this machine can reach now. */
  network: () => Promise<Network>
  log: Logger
}

export type Connections = ReturnType<typeof makeConnections>
/** Keeps one transport for each cluster and account, opened at first use. */
export function makeConnections({
  db,
  secrets,
  dataDir,
  executor,
  whyNotIsolated,
  enclosure,
  network,
  log,
}: Options) {
  const open = new Map<string, Map<string, { way: string; reach: Promise<Reach> }>>()

  /** For as long as the cluster is reached in the same way: it may have been changed through another server. */
  const kept = (
    cluster: FoundCluster,
    account: string,
    make: () => Promise<Reach>,
    /** With another one of these a new transport is opened. */
    settings: unknown = null,
  ): Promise<Reach> => {
    const reaches = open.get(cluster.id) ?? new Map<string, { way: string; reach: Promise<Reach> }>()
    open.set(cluster.id, reaches)
    const way = JSON.stringify([wayOf(cluster), cluster.sealed_given_key, settings])
    const known = reaches.get(account)
    if (known?.way === way) return known.reach
    if (known) void closeAll([known.reach])
    const made = { way, reach: make() }
    reaches.set(account, made)
    // A failure is told once and tried again at the next use.
    made.reach.catch(() => reaches.get(account) === made && reaches.delete(account))
    return made.reach
  }
  const closeAll = async (reaches: Promise<Reach>[]): Promise<void> => {
    await Promise.allSettled(
      reaches.map(async (reach) => {
        const { transport, commands } = await reach
        await Promise.all([transport.close(), commands?.close()])
      }),
    )
  }

  const folderOf = (clusterId: string) => path.join(dataDir, 'clusters', clusterId)
  const spoolOf = (clusterId: string) => path.join(folderOf(clusterId), 'spool')

  /** The executor is spoken to as the server itself; it gives up its rights for each job. */
  const executorFor = (
    clusterId: string,
    runAs: LocalAccount | null,
    reached?: Network,
  ): Pick<Reach, 'scheduler' | 'commands'> => ({
    scheduler: builtin({ program: executor, spool: spoolOf(clusterId), runAs, network: reached }),
    commands: localTransport(),
  })

  /** The resource manager of this machine, as the server's own account or as another. */
  const localManager = async (cluster: FoundCluster, as?: LocalAccount): Promise<Reach> => {
    const { manager, slurmConf } = wayOf(cluster)
    if (manager === 'none') throw new Error('the built-in executor is reached in another way')
    // Found where the server's own PATH says, as they may be in /opt.
    const transport = localTransport({ ...(as && { as }), env: environment(slurmConf, process.env.PATH) })
    return {
      transport,
      scheduler: schedulers[manager],
      account: as?.username ?? 'the console',
      home: await homeOf(transport),
    }
  }

  const sshOptions = (cluster: FoundCluster, head: Head, slurmConf: string, login: Login): SshOptions => ({
    host: head.host,
    port: head.port,
    ...login,
    env: environment(slurmConf, head.binFolder),
    knownHostKey: async () => {
      const saved = await store.findAny(db.kysely, cluster.id)
      return saved && sameHost(saved, head) ? saved.host_key : null
    },
    // Of a cluster that is only tried out nothing is kept.
    pinHostKey: async (key) => {
      const saved = await store.findAny(db.kysely, cluster.id)
      if (saved && sameHost(saved, head)) await store.update(db.kysely, cluster.id, { host_key: key })
    },
  })
  const ssh = async (cluster: FoundCluster, login: Login): Promise<Reach> => {
    const { head, manager, slurmConf } = wayOf(cluster)
    if (!head || manager === 'none')
      throw new Error('a cluster reached by SSH has a head node and a resource manager')
    const transport = sshTransport(sshOptions(cluster, head, slurmConf, login), log)
    return {
      transport,
      scheduler: schedulers[manager],
      account: login.sudoAs ?? login.username,
      home: await homeOf(transport),
    }
  }

  /** One that is not saved yet has no key of its own: that is said at the step that needs it. */
  const clusterAuth = (cluster: FoundCluster): SshOptions['auth'] => {
    const { head } = wayOf(cluster)
    const given = head?.key === 'given'
    const sealed = given ? cluster.sealed_given_key : cluster.sealed_private_key
    const place = `~${head?.username}/.ssh/authorized_keys on ${head?.host}`
    if (!sealed)
      return {
        missing: `The cluster gets a key of its own when it is saved. Save it, add its public key to ${place}, and test again.`,
      }
    const context = `${given ? 'cluster-given-key' : 'cluster-key'} ${cluster.id}`
    return { privateKey: secrets.open(sealed, context).toString() }
  }

  /** As the account that looks after the cluster. */
  const asAdmin = async (cluster: FoundCluster): Promise<Reach> => {
    const { transport, head, manager } = wayOf(cluster)
    if (transport === 'ssh')
      return ssh(cluster, { username: head?.username ?? '', auth: clusterAuth(cluster) })
    if (manager !== 'none') return localManager(cluster)
    return {
      ...executorFor(cluster.id, null),
      transport: localTransport(),
      account: 'the console',
      home: await consoleHome(dataDir),
    }
  }

  const admin = (cluster: FoundCluster): Promise<Reach> => kept(cluster, '', () => asAdmin(cluster))

  const asPerson = async (
    cluster: FoundCluster,
    person: Person,
    key: () => Promise<string>,
    reached: Network | undefined,
  ): Promise<Reach> => {
    const { transport, head, manager } = wayOf(cluster)
    if (head && isOurs(cluster)) {
      // On machines of our own making we make it.
      const sudoAs = await accountOn(db.kysely, cluster, person, await admin(cluster), await key())
      return ssh(cluster, { username: head.username, auth: clusterAuth(cluster), sudoAs })
    }
    if (transport === 'ssh' && head?.accounts !== 'sudo')
      return ssh(cluster, { username: person.username, auth: { privateKey: await key() } })
    if (head) {
      const login = { username: head.username, auth: clusterAuth(cluster) }
      // Whoever attached the cluster may be the one who looks after it.
      if (person.id === cluster.owner_id && person.username === head.username) return ssh(cluster, login)
      const { transport: looking } = await admin(cluster)
      return ssh(cluster, { ...login, sudoAs: await farAccount(looking, person.username, head.username) })
    }
    if (manager !== 'none')
      return localManager(cluster, isRoot ? await mappedAccount(person.username) : undefined)
    const account = await ownAccount(db.kysely, dataDir, person)
    const shared = !isRoot && !enclosure
    const enter = enclosure &&
      reached && { enter: await enclosure.enter(account, reached), watch: enclosure.watch }
    return {
      // Without a wall between them only admins get here, and an admin may be what the server is.
      ...executorFor(cluster.id, shared ? null : account, reached),
      transport: localTransport({ as: account, prompt: promptOf(person, cluster), ...enter }),
      requireRoom: () => void (isLow(roomOf(dataDir)) && fail('disk_full', { message: LOW_DISK })),
      account: person.username,
      home: account.home,
    }
  }

  return {
    /** What jobs on this machine must not see, for the executor. */
    fences: enclosure?.fences,

    /** What a diagnosis tries: the way of the account that looks after the cluster. */
    target(cluster: FoundCluster): DiagnosisTarget {
      const { head, slurmConf } = wayOf(cluster)
      if (!head) return { kind: 'local', options: {} }
      const login = { username: head.username, auth: clusterAuth(cluster) }
      return { kind: 'ssh', options: sshOptions(cluster, head, slurmConf, login) }
    },

    /** For polling, draining, and jobs run as admin. */
    admin,

    /** A way that nobody else uses and nobody keeps: for a cluster that is only tried out. */
    async trying<T>(cluster: FoundCluster, work: (reach: Reach) => Promise<T>): Promise<T> {
      const reach = asAdmin(cluster)
      try {
        return await work(await reach)
      } finally {
        await closeAll([reach])
      }
    },

    /** As the person's own account there. `key` is the person's own private key. */
    async person(cluster: FoundCluster, person: Person, key: () => Promise<string>): Promise<Reach> {
      const removals = isOurs(cluster) ? await timesRemoved(db.kysely, cluster, person) : 0
      const { transport, manager } = wayOf(cluster)
      const reached = transport === 'local' && manager === 'none' ? await network() : undefined
      // By id: a name may be given again after its person was removed.
      return kept(cluster, person.id, () => asPerson(cluster, person, key, reached), [removals, reached])
    },

    whyNoAccount: (cluster: FoundCluster, me: Caller) =>
      whyNoAccount({ db: db.kysely, whyNotIsolated }, cluster, me),

    /** Why this person cannot submit to the cluster now. */
    async whyNoSubmit(cluster: FoundCluster, me: Caller): Promise<string | null> {
      if (!clusterMay('submit', cluster.state)) return clusterMayNot('submit', cluster.state)
      return this.whyNoAccount(cluster, me)
    },

    /** Closes what is open to a cluster: its address or key changed, or it is gone. */
    async reset(clusterId: string): Promise<void> {
      const reaches = [...(open.get(clusterId)?.values() ?? [])]
      open.delete(clusterId)
      await closeAll(reaches.map(({ reach }) => reach))
    },
    /** Ends an executor that does not do so when asked, with its jobs. */
    endExecutor: (clusterId: string) => endLeftovers(spoolOf(clusterId)),
    /** Removes what the executor keeps on this machine. */
    removeSpool: (clusterId: string) =>
      rm(folderOf(clusterId), { recursive: true, force: true, maxRetries: 5 }),
    async close(): Promise<void> {
      const all = [...open.values()].flatMap((reaches) => [...reaches.values()])
      open.clear()
      await closeAll(all.map(({ reach }) => reach))
    },
  }
}
