import path from 'node:path'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { health } from '@flotilla/contract/health'
import { VERSION } from '@flotilla/contract/limits'
import { askCloud, makeClouds, simulatedFolder, type Clouds } from './clouds'
import type { ServerConfig } from './config'
import type { Database } from './db/database'
import { findTofu, simulatedProgram } from './engines/find'
import { createTofu } from './engines/tofu'
import { serveRuntimeAssets } from './http/assets'
import { makeAuthority } from './http/authority'
import { makeBind } from './http/bind'
import { serveReference } from './http/docs'
import type { Authenticate, Caller } from './http/caller'
import { makeHttpServer } from './http/server'
import { makeSocketRequests } from './http/socket-bind'
import type { QueueMail } from './mail/tasks'
import { isAccessToken, makeAccessTokens } from './modules/access-tokens/access-tokens'
import { bindAccessTokens } from './modules/access-tokens/routes'
import { makeAcm } from './modules/acm/acm'
import { bindAcm } from './modules/acm/routes'
import { makeActivities, makeRefusals } from './modules/activities/activities'
import { bindActivities } from './modules/activities/routes'
import { makeAttempts } from './modules/attempts/attempts'
import { makeAuth } from './modules/auth/auth'
import { bindAuth } from './modules/auth/routes'
import { clustersMadeWith, ownedClusters } from './modules/clusters/clusters'
import { makeCredentials, ownedCredentials } from './modules/credentials/credentials'
import { bindCredentials } from './modules/credentials/routes'
import { makeDoctor } from './modules/doctor/doctor'
import { bindDoctor } from './modules/doctor/routes'
import { ownedJobs } from './modules/jobs/jobs'
import { makeLdap } from './modules/ldap/ldap'
import { bindLdap } from './modules/ldap/routes'
import { makeLicense } from './modules/license/license'
import { leftoversMadeWith } from './modules/leftovers/leftovers'
import { bindLicense } from './modules/license/routes'
import { makeOneTime } from './modules/onetime/onetime'
import { makeProviders } from './modules/providers/providers'
import { bindProviders } from './modules/providers/routes'
import { makeSessions } from './modules/sessions/sessions'
import { makeTokens } from './modules/sessions/tokens'
import { bindSettings } from './modules/settings/routes'
import { makeSettings } from './modules/settings/settings'
import { bindUsers } from './modules/users/routes'
import { ownedStacks, stacksMadeWith } from './modules/stacks/stacks'
import { makeUsers, type Ownable } from './modules/users/users'
import { cloudProviders } from './providers/registry'
import type { Queue } from './queue/queue'
import { openRuntimeConfig } from './runtime/runtime'
import type { Secrets } from './secrets/secrets'
import { buildStacks } from './stacks'
import type { Network } from './executor/network'
import { buildWorkloads } from './workloads'

// What is wrong with a field or a file is said in words; without this the library only says that something is.
z.config(z.locales.en())

/** More at once would only wait for each other on the console's own machine. */
const ENGINES_AT_ONCE = 4

export type AppOptions = {
  config: ServerConfig
  db: Database
  secrets: Secrets
  queue: Queue
  queueMail: QueueMail
  log: Logger
  /** The built web app; without it only the API is served. */
  webFolder: string | null
  /** Whether this server hears at once of what others change. */
  hearsChanges: () => boolean
  /** How the built-in executor is started, and why it cannot keep people apart, if so. */
  executor: {
    program: string[]
    whyNotIsolated: string | null
    /** Where the database listens, unless on this machine's loopback. */
    databaseAddresses: Network['block']
  }
  /** The program that reads people's files in the server's place. */
  filesWorker: string
  /** The program that the simulated cloud is. */
  simulatedCloud: string
  /** The program that stands in for Packer then. */
  simulatedPacker: string
  /** Tests put others in the place of clouds that they cannot reach. */
  clouds?: Partial<Clouds>
  ownables?: Ownable[]
  now?: () => number
}

export type App = Awaited<ReturnType<typeof buildApp>>
/** Puts the parts together, by hand and in one place. */
export async function buildApp(options: AppOptions) {
  const {
    config,
    db,
    secrets,
    queue,
    queueMail,
    log,
    webFolder,
    hearsChanges,
    executor,
    simulatedCloud,
    simulatedPacker,
    ownables = [],
    now = Date.now,
  } = options
  const clouds = { ...makeClouds(config), ...options.clouds }
  const http = await makeHttpServer(config, log, now, webFolder)
  const routes: { method: string; url: string }[] = []
  http.addHook(
    'onRoute',
    ({ method, url }) => void routes.push(...[method].flat().map((one) => ({ method: one, url }))),
  )
  const runtime = openRuntimeConfig(config.dataDir, log)
  // The log names what is wrong at the start, and what is valid is kept for when it no longer is.
  await runtime.problems()
  const siteUrl = async () => (await runtime.config()).server ?? `http://${config.host}:${config.port}`

  const settings = makeSettings({ db, runtime, config, now })
  const license = makeLicense({ ...config, now })
  const tokens = makeTokens(secrets.deriveKey('session tokens'), now)
  const idleTimer = async () => (await runtime.config()).idleTimer
  const sessions = makeSessions({ db, tokens, idleTimer, hearsChanges, now })
  const accessTokens = makeAccessTokens({ db, key: secrets.deriveKey('access tokens'), now })
  const oneTime = makeOneTime(db, secrets.deriveKey('one-time secrets'), now)
  const attempts = makeAttempts(db, now)
  const owned = [...ownables, ownedClusters, ownedStacks, ownedJobs, ownedCredentials]
  const users = makeUsers({
    db,
    sessions,
    accessTokens,
    license,
    oneTime,
    attempts,
    secrets,
    queueMail,
    ownables: owned,
    siteUrl,
    now,
  })
  const refusals = makeRefusals({ db, log, now })
  http.addHook('onClose', () => refusals.stop())
  const auth = makeAuth({
    db,
    users,
    sessions,
    tokens,
    license,
    oneTime,
    attempts,
    refusals,
    runtime,
    now,
  })

  const authenticate: Authenticate = (token, { repeat, address, fresh }) =>
    isAccessToken(token)
      ? accessTokens.authenticate(token, address)
      : sessions.authenticate(token, { repeat, fresh })
  const bind = makeBind(http, {
    authenticate,
    authorityOf: makeAuthority({ db, now }),
    requireConfirmed: sessions.requireConfirmed,
    validateReplies: config.validateReplies,
    noteRefused: refusals.noteAdminCall,
  })
  const socketRequests = makeSocketRequests(config)
  bind(health.view, async () => {
    await db.ping()
    return { status: 'ok' as const, version: VERSION }
  })
  bindLicense(bind, license)
  bindAuth(bind, auth, sessions)
  bindAccessTokens(bind, accessTokens)
  bindUsers(bind, users)
  bindLdap(bind, makeLdap(db))
  bindSettings(bind, settings)
  bindActivities(bind, makeActivities(db))
  const credentials = makeCredentials({
    db,
    secrets,
    facts: (provider) => cloudProviders[provider],
    ...clouds,
    simulated: config.simulated,
    usedBy: [clustersMadeWith, stacksMadeWith, leftoversMadeWith],
    now,
  })
  bindCredentials(bind, credentials)
  const torqueSource = async () => (await settings.torqueSource()).source
  const providers = makeProviders({
    db,
    overrides: runtime.providers,
    offeredTo: async (me) => (await settings.ui(me)).providers,
    credentials,
    driver: clouds.driver,
    ask: askCloud,
    hasTorqueSource: async () => (await torqueSource()) !== null,
    simulated: config.simulated,
    now,
  })
  bindProviders(bind, providers)
  bindAcm(bind, makeAcm({ db, credentials, providers, client: clouds.maas, ask: askCloud }))
  const { program, whyNotIsolated } = executor
  const tofu = createTofu({
    program: config.simulated
      ? async () =>
          simulatedProgram({ file: simulatedCloud, dir: simulatedFolder(config.dataDir), env: process.env })
      : () => findTofu({ tofuBin: config.tofuBin, env: process.env }),
    pluginCache: path.join(config.dataDir, 'plugins'),
    atOnce: ENGINES_AT_ONCE,
  })
  const providersFor = async (me: Caller) => (await settings.ui(me)).providers
  const stacks = buildStacks({
    config,
    db,
    queue,
    secrets,
    users,
    bind,
    clouds,
    credentials,
    providersFor,
    catalogue: providers.catalogueFor,
    torqueSource,
    simulatedPacker,
    now,
  })
  const workloads = buildWorkloads({
    config,
    db,
    attempts,
    queue,
    secrets,
    users,
    callerOf: sessions.caller,
    bind,
    bindSocket: socketRequests.bindSocket,
    log,
    executor: program,
    filesWorker: options.filesWorker,
    whyNotIsolated,
    tofu,
    clouds,
    credentials,
    providers,
    providersFor,
    stacks,
    torqueSource,
    localPrices: async () => (await settings.site()).localPrices,
    security: settings.security,
    machineBlockedReason: settings.machineAccess.blockedReason,
    jobNetwork: async () => ({
      machine: (await settings.security()).jobsReachConsole,
      block: executor.databaseAddresses,
    }),
    now,
  })
  bindDoctor(bind, makeDoctor({ config, db, whyNotIsolated }))
  serveReference(http)
  serveRuntimeAssets(http, {
    runtime,
    websocketPort: config.websocketPort ?? config.port,
    siteUrl,
    simulated: config.simulated,
  })

  return {
    http,
    /** What is served, for the tests that hold it against the contract. */
    routes,
    socketRequests,
    sessions,
    users,
    credentials,
    workloads,
    stacks,
    /** Removes what is past its time. */
    async sweep(): Promise<void> {
      await Promise.all([
        sessions.sweep(),
        users.sweep(),
        accessTokens.sweep(),
        oneTime.sweep(),
        attempts.sweep(),
        refusals.sweep(),
        workloads.sweep(),
        stacks.sweep(),
      ])
    },
  }
}
