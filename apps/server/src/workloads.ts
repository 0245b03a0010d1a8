import path from 'node:path'
import type { Logger } from 'pino'
import type { SecuritySettings } from '@flotilla/contract/settings'
import type { ServerConfig } from './config'
import type { Database } from './db/database'
import { makeEnclosure } from './enclosure'
import type { Network } from './executor/network'
import type { Bind } from './http/bind'
import type { Caller } from './http/caller'
import type { BindSocket } from './http/socket-bind'
import { thingRoom } from './live/live'
import { makeBurst } from './modules/burst/burst'
import { makeClusters } from './modules/clusters/clusters'
import type { Attempts } from './modules/attempts/attempts'
import { makeConnections } from './modules/clusters/connections'
import { makeAcceptances } from './modules/clusters/acceptance'
import { makeDialing } from './modules/clusters/dialing'
import { makeHostKeys } from './modules/clusters/host-keys'
import { makeOperations } from './modules/clusters/operations'
import { makePoller } from './modules/clusters/poller'
import { pricesOf } from './modules/clusters/prices'
import { makeReaching, type Reaching } from './modules/clusters/reaching'
import { bindClusters } from './modules/clusters/routes'
import { makeRuns } from './modules/clusters/runs'
import type { FoundCluster } from './modules/clusters/store'
import { makeLocalSteps } from './modules/clusters/steps'
import { askCloud, type Clouds } from './clouds'
import type { Tofu } from './engines/tofu'
import { makeCloud, type Cloud } from './modules/clusters/cloud/cloud'
import { possibleNodes } from './modules/clusters/cloud/possible'
import { leftoversTask, makeLeftovers } from './modules/leftovers/leftovers'
import { bindLeftovers } from './modules/leftovers/routes'
import { makeReady } from './modules/clusters/cloud/ready'
import { bindCloud } from './modules/clusters/cloud/routes'
import { fastRestoreTask, makeFastRestore } from './modules/clusters/cloud/fast-restore'
import { makeCloudSteps } from './modules/clusters/cloud/steps'
import { makeSettling } from './modules/clusters/cloud/settle'
import type { Surroundings } from './modules/clusters/cloud/surroundings'
import { withdrawHandler, withdrawTask } from './modules/clusters/cloud/withdraw'
import type { Credentials } from './modules/credentials/credentials'
import type { Providers } from './modules/providers/providers'
import type { LocalPrices } from './providers/price'
import { cloudProviders } from './providers/registry'
import { makeFiles } from './modules/files/files'
import { bindFiles } from './modules/files/routes'
import { makeJobs, makeTeller } from './modules/jobs/jobs'
import { makeOutputs } from './modules/jobs/outputs'
import { bindJobs } from './modules/jobs/routes'
import { bindJobOutput } from './modules/jobs/socket'
import { makeSubmissions } from './modules/jobs/submissions'
import { makeTracker } from './modules/jobs/track'
import type { Sessions } from './modules/sessions/sessions'
import { makeSnapshots } from './modules/snapshots/snapshots'
import { bindTerminals } from './modules/terminals/socket'
import { makeTerminals } from './modules/terminals/terminals'
import type { Users } from './modules/users/users'
import { makeVpn } from './modules/vpn/vpn'
import type { Queue } from './queue/queue'
import type { Secrets } from './secrets/secrets'
import type { buildStacks } from './stacks'

type Options = {
  config: ServerConfig
  db: Database
  attempts: Attempts
  queue: Queue
  secrets: Secrets
  users: Users
  /** The person behind a session now, or null when it is over. */
  callerOf: Sessions['caller']
  bind: Bind
  bindSocket: BindSocket
  log: Logger
  /** How the built-in executor is started. */
  executor: string[]
  /** The program that reads people's files in the server's place. */
  filesWorker: string
  /** Why people cannot be kept apart on this machine, or null when they can. */
  whyNotIsolated: string | null
  tofu: Tofu
  clouds: Clouds
  credentials: Credentials
  providers: Providers
  providersFor: (me: Caller) => Promise<string[]>
  stacks: Pick<ReturnType<typeof buildStacks>, 'imageOf' | 'mayUse'>
  torqueSource: Surroundings['torqueSource']
  /** What an admin says that machines of one's own cost. */
  localPrices: () => Promise<LocalPrices>
  security: () => Promise<SecuritySettings>
  /** Why a person may not use the console's own machine, or null. */
  machineBlockedReason: (userId: string) => Promise<string | null>
  /** What jobs and terminals on this machine can reach now. */
  jobNetwork: () => Promise<Network>
  now: () => number
}

/** How long an action may take. */
const LOCAL_RUN_MS = 10 * 60_000
const CLOUD_RUN_MS = 60 * 60_000

/** The program that the built-in executor is, beside this one in the build. */
/** The program that stands in for OpenTofu and every cloud. */
export const simulatedCloudProgram = path.join(import.meta.dirname, 'cli', 'simulated-cloud.js')
export const executorProgram = [process.execPath, path.join(import.meta.dirname, 'cli', 'executor.js')]

export const filesWorkerProgram = path.join(import.meta.dirname, 'local-files-worker.js')

/** Clusters, jobs and files: put together by hand, as the parts need each other in a certain order. */
export function buildWorkloads({
  config,
  db,
  attempts,
  queue,
  secrets,
  users,
  callerOf,
  bind,
  bindSocket,
  log,
  executor,
  filesWorker,
  whyNotIsolated,
  tofu,
  clouds,
  credentials,
  providers,
  providersFor,
  stacks,
  torqueSource,
  localPrices,
  security,
  machineBlockedReason,
  jobNetwork,
  now,
}: Options) {
  const dialing = makeDialing({ attempts, security })
  const enclosure = whyNotIsolated === null ? makeEnclosure(config) : null
  const connections = makeConnections({
    db,
    secrets,
    dataDir: config.dataDir,
    dialing,
    executor,
    filesWorker,
    whyNotIsolated,
    machineBlockedReason,
    enclosure,
    network: jobNetwork,
    log,
  })
  const snapshots = makeSnapshots(db, now)
  const clusters = makeClusters({
    db,
    queue,
    secrets,
    connections,
    prices: (found) => pricesOf(found, (cluster) => cloud.priceNow(cluster), localPrices),
    requireCredential: credentials.requireFor,
    dialing,
    now,
  })
  const surroundings: Surroundings = {
    secrets,
    tofu,
    dataDir: config.dataDir,
    simulated: config.simulated,
    credential: (id) => credentials.use(id),
    catalogue: providers.catalogueFor,
    infrastructure: (provider) => cloudProviders[provider].infrastructure(),
    driver: clouds.driver,
    image: stacks.imageOf,
    torqueSource,
  }
  const cloud: Cloud = makeCloud({
    ...surroundings,
    clusters,
    mayUseCredential: credentials.mayUse,
    requireCredential: (cluster) => credentials.requireFor(db.kysely, cluster),
    mayUseStack: stacks.mayUse,
    providersFor,
  })
  // The tracker asks clusters how jobs ended, and clusters are polled for it: the way there is looked up when it is used.
  const track = makeTracker(db, () => reaching, now)
  const vpn = makeVpn({ db, secrets, find: clusters.find, now })
  const possible = (cluster: FoundCluster) => possibleNodes(surroundings, cluster)
  const settling = makeSettling({ ...surroundings, db, vpn, log, now })
  const burst = makeBurst({ db, possible, start: cloud.burst, log, now })
  const poller = makePoller({
    db,
    connections,
    snapshots,
    onQueue: track.onQueue,
    onLook: async (seen) => {
      await settling.keep(seen)
      await burst.look(seen)
    },
    onRound: () => submissions.adopt(),
    log,
    now,
  })
  const reaching: Reaching = makeReaching({
    db,
    connections,
    poller,
    find: clusters.find,
    keyOf: (id, username) => users.sshKey({ id, username }),
  })
  const personNamed = async (username: string) => {
    const person = await users.findForLogin(username)
    return person ? { id: person.id, username: person.username, key: () => users.sshKey(person) } : null
  }
  const operations = makeOperations({ db, dialing, clusters, connections, snapshots, poller, personNamed })
  const jobs = makeJobs(db, now)
  const submissions = makeSubmissions({ db, jobs, reaching, queue, tellSoon: makeTeller(db, log), now })
  const outputs = makeOutputs({ db, jobs, submissions, reaching })
  const terminals = makeTerminals(db, reaching, callerOf)
  const local = makeLocalSteps({
    db,
    connections,
    snapshots,
    onQueue: track.onQueue,
    onDetached: track.onDetached,
  })
  const ready = makeReady({ connections, possible, settling, snapshots, onDetached: track.onDetached })
  const fastRestore = makeFastRestore({ ...surroundings, db })
  const leftovers = makeLeftovers({ ...surroundings, db, ask: askCloud, now })
  const inClouds = makeCloudSteps({
    ...surroundings,
    db,
    ready,
    fastRestore,
    searchLeftovers: leftovers.searchAfter,
    now,
  })
  const runs = makeRuns({
    db,
    stepsFor: ({ provider }) =>
      provider === 'local'
        ? { steps: local, limitMs: LOCAL_RUN_MS }
        : { steps: inClouds, limitMs: CLOUD_RUN_MS },
    poller,
    now,
  })

  const hostKeys = makeHostKeys({ clusters, connections, dialing, poller })
  const acceptances = makeAcceptances(db, now)
  bindClusters(bind, { clusters, cloud, operations, snapshots, hostKeys, acceptances })
  bindCloud(bind, cloud, vpn)
  bindLeftovers(bind, leftovers)
  bindJobs(bind, jobs, submissions, outputs)
  bindFiles(bind, makeFiles(reaching))
  bindJobOutput(bindSocket, outputs)
  bindTerminals(bindSocket, terminals)

  return {
    clusters,
    connections,
    poller,
    /** The rooms of the things that this person may see. */
    rooms: async (me: Caller): Promise<string[]> =>
      (await clusters.idsVisibleTo(me)).map((id) => thingRoom('clusters', id)),
    /** The session, the roles or the clusters of a person changed, or of anyone. */
    identityChanged: terminals.recheck,
    handlers: [
      runs.handler,
      submissions.settleHandler(),
      leftovers.handler,
      fastRestore.handler,
      withdrawHandler({ db, vpn, connections, log, now }),
    ],
    schedule: [
      { task: leftoversTask, match: '17 * * * *' },
      { task: fastRestoreTask, match: '*/5 * * * *' },
      { task: withdrawTask, match: '* * * * *' },
    ],
    adopt: submissions.adopt,
    async sweep(): Promise<void> {
      await Promise.all([snapshots.sweep(), runs.sweep()])
    },
    async stop(): Promise<void> {
      poller.stop()
      terminals.closeAll()
      enclosure?.stop()
      await connections.close()
    },
  }
}
