import { isInCloud } from '@flotilla/contract/clusters/entity'
import path from 'node:path'
import type { Logger } from 'pino'
import type { ServerConfig } from '../../config'
import { homeOf } from './accounts/this-machine'
import { claimAssigned } from './accounts/uids'
import type { Database } from '../../db/database'
import type { Viewer } from '../../db/visible'
import { createTofu } from '../../engines/tofu/tofu'
import type { Bind } from '../../http/bind'
import type { AuditSource, Caller } from '../../http/caller'
import { entityRoom } from '../../live/live'
import { cloudProviders } from '../../providers/registry'
import type { Queue } from '../../queue/queue'
import type { BuiltinOptions } from '../../schedulers/builtin'
import type { Secrets } from '../../secrets/secrets'
import type { Attempts } from '../attempts/attempts'
import type { Clouds } from '../clouds/clouds'
import type { Credentials } from '../credentials/credentials'
import type { Leftovers } from '../leftovers/leftovers'
import type { Providers } from '../providers/providers'
import type { Settings } from '../settings/settings'
import type { Snapshots } from '../snapshots/snapshots'
import type { StacksApi } from '../stacks/open'
import type { Users } from '../users/users'
import { makeAcceptances } from './connection/acceptance'
import { makeBurst } from './burst/burst'
import { makeCloud } from './cloud/cloud'
import { makeCopies } from './cloud/copies'
import { makeCosts } from './cloud/costs'
import { fastRestoreTask, makeFastRestore } from './cloud/deploy/fast-restore'
import { possibleNodes } from './cloud/machines/possible-nodes'
import { makeMachines } from './cloud/machines/machines'
import { makeCloudMachines } from './cloud/machines/cloud-machines'
import { makeSimulatedMachines } from './cloud/machines/simulated'
import { bindCloud } from './cloud/routes'
import { makeReconciler } from './cloud/machines/reconcile'
import { makeCloudSteps } from './cloud/deploy/steps'
import type { CloudDeps } from './cloud/workspace/deps'
import { sealStoredKeys } from './cloud/workspace/rhel-key'
import { makeVanished, vanishedTask } from './cloud/machines/vanished'
import { driftedClusters, driftHandler, driftTask } from './cloud/drift'
import { revokeAccessHandler, revokeAccessTask } from './cloud/machines/revoke-access'
import { makeClusters } from './clusters'
import { makeConnections } from './connection/connections'
import { openEnclosure } from './connection/enclosure'
import { makeHeadNodePolicy } from './connection/head-node-policy'
import { makeHostKeys } from './head-node/host-keys'
import { makeLdapSharing } from './sharing/ldap-sharing'
import { makeLifecycle } from './lifecycle'
import type { DirectoryLookup } from './sharing/sharing'
import { makeOwnConnections } from './connection/own-connections'
import { makeOwnTest } from './head-node/own-test'
import { makeObservers } from './watch/observers'
import { makeOperations } from './operations'
import { makePoller } from './watch/poller'
import { makeClusterAccess } from './access'
import { bindClusters } from './routes'
import { makeClusterRuns } from './runs/runs'
import { makeAttachedSteps } from './runs/attached-steps'
import { makeSaving } from './saving/saving'
import * as store from './store'
import { isThisMachine, type CloudCluster, type StoredCluster } from './stored-cluster'
import { makeVpn } from './vpn/vpn'

/** More concurrent engines would only compete for the console's own machine. */
const ENGINES_AT_ONCE = 4

type Deps = {
  config: ServerConfig
  db: Database
  queue: Queue
  secrets: Secrets
  attempts: Attempts
  users: Users
  ldap: DirectoryLookup
  settings: Settings
  credentials: Credentials
  providers: Providers
  clouds: Clouds
  stacks: StacksApi
  leftovers: Leftovers
  snapshots: Snapshots
  /** The command that starts the built-in executor, and why it cannot isolate people from each other, if so. */
  executor: { program: string[]; isolationBlockedReason: string | null; ownFiles: string }
  /** What jobs and terminals on this machine may currently connect to. */
  network: () => Promise<NonNullable<BuiltinOptions['network']>>
  /** The program that reads people's files on behalf of the server. */
  filesWorker: string
  system: AuditSource
  log: Logger
  now: () => number
}

export type ClustersApi = ReturnType<typeof openClusters>['api']
/** How other modules get access to a cluster. */
export type ClusterAccess = ClustersApi['access']
/** How other modules observe clusters, what one poll of a cluster shows, and which costs a cluster has. */
export type ClusterObserver = Parameters<ClustersApi['observe']>[0]
export type Polled = Parameters<NonNullable<ClusterObserver['onPolled']>>[0]
export type Costs = Awaited<ReturnType<ClustersApi['costsOf']>>

/** Upgrades what older versions stored to what the module expects. */
export async function upgradeClusters(db: Database, secrets: Secrets): Promise<void> {
  await sealStoredKeys(db, secrets)
  await claimAssigned(db.kysely)
}

export function openClusters(deps: Deps) {
  const { config, db, queue, secrets, users, settings, credentials, providers, clouds, stacks } = deps
  const { leftovers, snapshots, executor, system, log, now } = deps
  const { dataDir } = config
  const enclosure = executor.isolationBlockedReason === null ? openEnclosure(config, executor.ownFiles) : null

  const tofu = createTofu({
    program: clouds.tofu,
    pluginCache: path.join(dataDir, 'plugins'),
    atOnce: ENGINES_AT_ONCE,
  })
  const cloudDeps: CloudDeps = {
    secrets,
    tofu,
    dataDir,
    mode: clouds,
    credential: credentials.use,
    catalog: providers.catalogFor,
    infrastructure: (provider) => cloudProviders[provider].infrastructure(),
    driver: clouds.driver,
    image: stacks.imageOf,
    torqueSource: settings.torqueSource,
  }
  const headNodePolicy = makeHeadNodePolicy({ attempts: deps.attempts, security: settings.security })
  const connections = makeConnections({
    db,
    secrets,
    dataDir,
    headNodePolicy,
    executor: executor.program,
    filesWorker: deps.filesWorker,
    isolationBlockedReason: executor.isolationBlockedReason,
    machineBlockedReason: settings.machineAccess.blockedReason,
    enclosure,
    network: deps.network,
    log,
  })
  const { costsOf, prices } = makeCosts(cloudDeps, async () => (await settings.site()).localPrices)
  const saving = makeSaving({ secrets, ldap: deps.ldap, connections, now })
  const clusters = makeClusters({
    db,
    queue,
    secrets,
    saving,
    connections,
    prices,
    requireCredential: credentials.requireFor,
    headNodePolicy,
    system,
    now,
  })
  const cloud = makeCloud({
    ...cloudDeps,
    db,
    clusters,
    saving,
    mayUseCredential: credentials.mayUse,
    requireCredential: (cluster) => credentials.requireFor(db.kysely, cluster),
    stackChoices: stacks.choicesOf,
    mayUseStack: stacks.mayUse,
    providersFor: settings.providersFor,
    desktopDefaults: settings.site,
  })

  const vpn = makeVpn({ db, secrets, find: clusters.find, now })
  const possible = (cluster: CloudCluster) => possibleNodes(cloudDeps, cluster)
  const { observe, ...observers } = makeObservers()
  const reconciler = makeReconciler({ ...cloudDeps, db, vpn, log, now })
  const machines = makeMachines({
    connections,
    real: makeCloudMachines({ db, vpn, connections, reconciler, now }),
    simulated: makeSimulatedMachines({ connections, possible }),
    forgetMachines: reconciler.forget,
    snapshots,
    onDetached: observers.onDetached,
  })
  const keyOf = (id: string, username: string) => users.sshKey({ id, username })
  const burst = makeBurst({ db, possible, start: cloud.burst, system, log, now })
  const poller = makePoller({
    db,
    connections,
    snapshots,
    keyOf,
    ...observers,
    onPolled: async ({ cluster, ...seen }) => {
      await observers.onPolled({ cluster, ...seen })
      if (!isInCloud(cluster)) return
      await machines.maintain({ cluster, ...seen })
      await burst.reconcile({ cluster, ...seen })
    },
    log,
    now,
  })

  const own = makeOwnConnections(db.kysely, now)
  const access = makeClusterAccess({ db, connections, poller, find: clusters.find, keyOf, own })
  const testOwn = makeOwnTest({ access, connections, headNodePolicy, keyOf })
  const personNamed = async (username: string) => {
    const person = await users.findForLogin(username)
    return person ? { id: person.id, username: person.username, key: () => users.sshKey(person) } : null
  }
  const operations = makeOperations({
    db,
    headNodePolicy,
    clusters,
    connections,
    snapshots,
    poller,
    personNamed,
  })
  const hostKeys = makeHostKeys({ clusters, connections, headNodePolicy, poller })
  const ldapSharing = makeLdapSharing({ ldap: deps.ldap, mine: clusters.mine, view: clusters.view })
  const acceptances = makeAcceptances(db, now, observers.onDecline)

  const fastRestore = makeFastRestore({ ...cloudDeps, db })
  const vanished = makeVanished({ ...cloudDeps, db, system, log, now })
  const runs = makeClusterRuns({
    db,
    attachedSteps: makeAttachedSteps({ db, connections, snapshots, ...observers }),
    cloudSteps: makeCloudSteps({ ...cloudDeps, db, machines, fastRestore, leftovers, now }),
    poller,
    system,
    now,
  })

  return {
    api: {
      find: clusters.find,
      homeOf: (person: { id: string; username: string }) => homeOf(db.kysely, dataDir, person),
      insertFirst: clusters.insertFirst,
      access,
      observe,
      costsOf,
      /** Clusters that are not polled but may still have machines or disks, and those of `ids` that are not polled. */
      unpolled: (ids: string[]) => store.unpolled(db.kysely, ids),
      connections,
      /** Clusters that workshops make for their seats. */
      copies: makeCopies({ db, secrets, cloud, saving, system }),
      /** Compares what a cluster, or `copies` new clusters like it, would need with the quotas of its cloud account. */
      quotas: async (cluster: StoredCluster, copies?: number) =>
        isInCloud(cluster) ? cloud.quotasOf(cluster, copies) : [],
      prices,
      isThisMachine,
      drifted: (viewer: Viewer) => driftedClusters(db, viewer),
    },
    rooms: async (me: Caller): Promise<string[]> =>
      (await clusters.idsVisibleTo(me)).map((id) => entityRoom('clusters', id)),
    bind(bind: Bind): void {
      bindClusters(bind, {
        clusters,
        lifecycle: makeLifecycle({ clusters, cloud }),
        operations,
        snapshots,
        hostKeys,
        acceptances,
        ldapSharing,
        testOwn,
        own,
      })
      bindCloud(bind, cloud, vpn)
    },
    tasks: [
      vanished.handler,
      driftHandler({ db, clusters, isOn: async () => (await settings.site()).driftCheck, log }),
      runs.handler,
      fastRestore.handler,
      revokeAccessHandler({ db, machines, log }),
    ],
    schedules: [
      { task: fastRestoreTask, match: '*/5 * * * *' },
      { task: revokeAccessTask, match: '* * * * *' },
      { task: vanishedTask, match: '* * * * *' },
      { task: driftTask, match: '17 4 * * *' },
    ],
    sweep: runs.sweep,
    leader: { start: poller.start, stop: poller.stop, receive: poller.kick },
    async stop(): Promise<void> {
      poller.stop()
      await connections.close()
      enclosure?.stop()
    },
  }
}
