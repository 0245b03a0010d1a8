import type { Logger } from 'pino'
import type { ServerConfig } from './config'
import type { Database } from './db/database'
import type { Network } from './executor/sandbox/network'
import type { RateLimit } from './http/guards'
import type { QueueMail } from './mail/tasks'
import { openAccessTokens } from './modules/access-tokens/open'
import { openAcm } from './modules/acm/open'
import { openActivities } from './modules/activities/open'
import { openApps } from './modules/apps/open'
import { openAttempts } from './modules/attempts/open'
import { openAuth } from './modules/auth/open'
import { openBackups } from './modules/backups/open'
import { makeClouds, type Clouds } from './modules/clouds/clouds'
import { clustersMadeWith } from './modules/clusters/clusters'
import { openClusters } from './modules/clusters/open'
import { openCourses } from './modules/courses/open'
import { openCredentials } from './modules/credentials/open'
import { openDashboard } from './modules/dashboard/open'
import type { WatchRule } from './modules/desktops/desktops'
import { openDesktops } from './modules/desktops/open'
import { openDoctor } from './modules/doctor/open'
import { openFiles } from './modules/files/open'
import { openJobs } from './modules/jobs/open'
import { openLdap } from './modules/ldap/open'
import { leftoversMadeWith } from './modules/leftovers/leftovers'
import { openLeftovers } from './modules/leftovers/open'
import { openLicense } from './modules/license/open'
import { openMailSettings } from './modules/mail/open'
import type { Module } from './modules/module'
import { openNotifications } from './modules/notifications/open'
import { openOneTime } from './modules/onetime/open'
import { openProviders } from './modules/providers/open'
import { openRemovals } from './modules/removals/open'
import { openSearch } from './modules/search/open'
import { openSessions } from './modules/sessions/open'
import { openSettings } from './modules/settings/open'
import { ownables, type Ownable } from './modules/sharing/sharing'
import { openSnapshots } from './modules/snapshots/open'
import { openStacks } from './modules/stacks/open'
import { stacksMadeWith } from './modules/stacks/stacks'
import { openTerminals } from './modules/terminals/open'
import { openTrainings, workshopsOf } from './modules/trainings/open'
import { openTwoStep } from './modules/two-step/open'
import { openUsage } from './modules/usage/open'
import { openUsers } from './modules/users/open'
import type { Queue } from './queue/queue'
import type { Secrets } from './secrets/secrets'

export type ModuleOptions = {
  config: ServerConfig
  db: Database
  secrets: Secrets
  queue: Queue
  queueMail: QueueMail
  log: Logger
  rateLimit: RateLimit
  /** Whether this server is currently notified of changes that others make. */
  receivesChanges: () => boolean
  /** How the built-in executor is started and, if it cannot isolate users, why. */
  executor: {
    program: string[]
    isolationBlockedReason: string | null
    /** The console's own files, which no user may change. */
    ownFiles: string
    /** The addresses of the database server; empty for the embedded one. */
    databaseAddresses: Network['block']
  }
  /** The program that reads users' files in place of the server process. */
  filesWorker: string
  /** The programs that stand in for OpenTofu and every cloud, and for Packer. */
  simulatedCloud: string
  simulatedPacker: string
  /** Lets tests replace clouds that they cannot reach. */
  clouds?: Partial<Clouds>
  /** Lets tests add kinds of owned records that have tables of their own. */
  ownables?: Ownable[]
  watchRules?: WatchRule[]
  now?: () => number
}

/** Opens the modules in order. Each receives those before it that it uses. */
export async function openModules(options: ModuleOptions) {
  const { config, db, secrets, queue, queueMail, log, receivesChanges, executor, now = Date.now } = options
  const { filesWorker, watchRules = [] } = options
  const clouds = { ...makeClouds(config, options), ...options.clouds }

  const modules: Module[] = []
  const add = <Opened extends Module>(module: Opened): Opened => {
    modules.push(module)
    return module
  }
  const settings = add(await openSettings({ db, config, log, now }))
  const { runtime } = settings
  const siteUrl = async () => (await runtime.config()).server ?? `http://${config.host}:${config.port}`
  const license = add(openLicense({ db, ...config, now }))
  const sessions = add(openSessions({ db, secrets, runtime, receivesChanges, now }))
  const accessTokens = add(await openAccessTokens({ db, secrets, now }))
  const oneTime = add(openOneTime({ db, secrets, now }))
  const attempts = add(openAttempts({ db, now }))
  const activities = add(await openActivities({ db, secrets, queue, log, now }))
  const { system } = activities.api
  const people = {
    db,
    sessions: sessions.api,
    license: license.api,
    oneTime: oneTime.api,
    attempts: attempts.api,
    now,
  }
  const users = add(
    openUsers({
      ...people,
      accessTokens: accessTokens.api,
      secrets,
      queue,
      queueMail,
      ownables: [...(options.ownables ?? []), ...ownables],
      siteUrl,
    }),
  )
  const mail = add(openMailSettings({ db, secrets, ...config }))
  const twoStep = add(openTwoStep({ db, now }))
  const ldap = add(openLdap({ db, secrets, users: users.api, system, runtime, log, now }))
  const auth = add(
    openAuth({ ...people, users: users.api, ldap: ldap.api, noteRefusal: activities.api.note, runtime }),
  )

  const usedBy = [clustersMadeWith, stacksMadeWith, leftoversMadeWith]
  const { requireProvider } = settings.api
  const credentials = add(openCredentials({ db, secrets, clouds, requireProvider, usedBy, now }))
  const cloudDeps = { db, settings: settings.api, credentials: credentials.api, clouds, now }
  const providers = add(openProviders({ ...cloudDeps, runtime, siteUrl }))
  add(openAcm({ ...cloudDeps, providers: providers.api }))
  const leftovers = add(openLeftovers({ ...cloudDeps, providers: providers.api }))
  const buildDeps = {
    ...cloudDeps,
    config,
    queue,
    secrets,
    users: users.api,
    providers: providers.api,
    leftovers: leftovers.api,
    system,
  }
  const stacks = add(openStacks(buildDeps))
  const snapshots = add(openSnapshots({ db, now }))
  const clusters = add(
    openClusters({
      ...buildDeps,
      attempts: attempts.api,
      ldap: ldap.api,
      stacks: stacks.api,
      snapshots: snapshots.api,
      executor,
      network: async () => ({
        machine: (await settings.api.security()).jobsReachConsole,
        block: executor.databaseAddresses,
      }),
      filesWorker,
      log,
    }),
  )
  const { access } = clusters.api
  const jobs = add(openJobs({ db, queue, sessions: sessions.api, clusters: clusters.api, system, log, now }))
  const apps = add(
    openApps({
      config,
      rateLimit: options.rateLimit,
      db,
      secrets,
      sessions: sessions.api,
      clusters: clusters.api,
      jobs: jobs.api,
      siteUrl,
      system,
      log,
      now,
    }),
  )
  const { unknown: unknownApps } = apps.api.apps
  const workshops = workshopsOf(db)
  const courses = add(openCourses({ db, ...workshops.forCourses, unknownApps, now }))
  const usage = add(openUsage({ db, clusters: clusters.api, log, now }))
  const { statuses: ldapStatuses } = ldap.api
  const { verification } = activities.api
  const siteDeps = {
    settings: settings.api,
    license: license.api,
    usage: usage.api,
    mailAddress: mail.api.address,
    ldapStatuses,
    verification,
    configProblems: runtime.problems,
  }
  add(openDashboard({ db, config, engines: clouds, drifted: clusters.api.drifted, ...siteDeps, now }))
  add(openSearch({ db, apps: apps.api.apps.list }))
  add(openNotifications({ db, queueMail, siteUrl, mailAddress: mail.api.address, now }))
  add(openFiles({ access }))
  add(openTerminals({ db, access, sessions: sessions.api, system }))
  const desktops = add(
    openDesktops({
      db,
      secrets,
      clusters: clusters.api,
      sessions: sessions.api,
      watchRules: [...watchRules, workshops.watchRule],
      defaults: settings.api.site,
      siteUrl,
      system,
      now,
    }),
  )
  add(
    openRemovals({
      users: users.api,
      sessions: sessions.api,
      homeOf: clusters.api.homeOf,
      desktops: desktops.api,
      seats: apps.api.seats,
      submissions: jobs.api.submissions,
    }),
  )
  add(
    openTrainings({
      db,
      queue,
      queueMail,
      secrets,
      runtime,
      users: users.api,
      sessions: sessions.api,
      attempts: attempts.api,
      clusters: clusters.api,
      credentials: credentials.api,
      courses: courses.api,
      unknownApps,
      machineOpenToAnyone: settings.api.machineAccess.openToAnyone,
      usage: usage.api,
      twoStepRules: twoStep.api.list,
      testMail: mail.api.test,
      tokenFor: auth.api.tokenFor,
      desktops: desktops.api,
      apps: apps.api.seats,
      system,
      now,
    }),
  )
  add(openBackups({ config, db, queue, system, log, now }))
  add(
    openDoctor({
      config,
      engines: clouds,
      db,
      mailAddress: mail.api.address,
      configProblems: runtime.problems,
      isolationBlockedReason: executor.isolationBlockedReason,
    }),
  )

  return {
    modules,
    runtime,
    siteUrl,
    settings: settings.api,
    sessions: sessions.api,
    accessTokens: accessTokens.api,
    activities: activities.api,
    users: users.api,
    credentials: credentials.api,
    clusters: clusters.api,
    jobs: jobs.api,
    desktops: desktops.api,
    mailRoute: mail.api.route,
    appHosts: apps.hosts,
  }
}
