import { rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import type { ServerConfig } from './config'
import type { Database } from './db/database'
import { entrance, findPowers, refusalOf } from './executor/isolation'
import { limitsOfTerminal } from './executor/limits'
import { closedNetwork, type Network } from './executor/network'
import { Watch, type Watched } from './executor/watch'
import type { Bind } from './http/bind'
import type { Caller } from './http/caller'
import type { StreamSources } from './http/streams'
import { clusterRoom } from './live/live'
import { makeBurst } from './modules/burst/burst'
import { makeClusters } from './modules/clusters/clusters'
import type { Attempts } from './modules/attempts/attempts'
import { makeConnections, type Enclosure } from './modules/clusters/connections'
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
import { makeSubmissions } from './modules/jobs/submissions'
import { makeTracker } from './modules/jobs/track'
import type { Sessions } from './modules/sessions/sessions'
import { makeSnapshots } from './modules/snapshots/snapshots'
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
  log: Logger
  /** How the built-in executor is started. */
  executor: string[]
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

/**
 * What keeps people on this machine apart. Nothing of the server's data is in their view, and they cannot change the
 * program that it is. All terminals of a person share one /tmp, /var/tmp and /run, which begin empty with the server.
 */
function makeEnclosure({ dataDir, masterKeyFile }: ServerConfig): Enclosure & { stop(): void } {
  const fences = { hide: [dataDir, masterKeyFile], readOnly: [path.resolve(import.meta.dirname, '../../..')] }
  const places = path.join(dataDir, 'tmp')
  rmSync(places, { recursive: true, force: true })
  const powers = findPowers()
  const terminals = new Set<Watched>()
  const watch = new Watch(dataDir, () => terminals)
  watch.start()
  return {
    fences,
    stop: () => watch.stop(),
    watch(pid, end) {
      const one = { pid, memoryMb: limitsOfTerminal().memoryMb, end }
      terminals.add(one)
      return () => void terminals.delete(one)
    },
    async enter(account, network) {
      const refused = refusalOf(powers, account, fences)
      if (refused !== null) throw new Error(refused)
      const place = path.join(places, path.basename(account.home))
      await mkdir(place, { recursive: true, mode: 0o700 })
      const { argv } = entrance(powers, account, fences, {
        spool: dataDir,
        place,
        network: network ?? closedNetwork,
        limits: { ...limitsOfTerminal(), fileSize: network !== undefined },
        group: `person-${path.basename(account.home)}`,
      })
      return [...argv, 'env', '-C', account.home]
    },
  }
}

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
  log,
  executor,
  whyNotIsolated,
  tofu,
  clouds,
  credentials,
  providers,
  providersFor,
  stacks,
  torqueSource,
  localPrices,
  jobNetwork,
  now,
}: Options) {
  const enclosure = whyNotIsolated === null ? makeEnclosure(config) : null
  const connections = makeConnections({
    db,
    secrets,
    dataDir: config.dataDir,
    executor,
    whyNotIsolated,
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
    db,
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
  const operations = makeOperations({ db, attempts, clusters, connections, snapshots, poller, personNamed })
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

  const hostKeys = makeHostKeys({ db, clusters, connections, poller })
  bindClusters(bind, { clusters, cloud, operations, snapshots, hostKeys })
  bindCloud(bind, cloud, vpn)
  bindLeftovers(bind, leftovers)
  bindJobs(bind, jobs, submissions, outputs)
  bindFiles(bind, makeFiles(reaching))

  const streams: StreamSources = { follow: outputs.follow, terminals }
  return {
    clusters,
    connections,
    poller,
    streams,
    /** The rooms of the things that this person may see. */
    rooms: async (me: Caller): Promise<string[]> => (await clusters.idsVisibleTo(me)).map(clusterRoom),
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
