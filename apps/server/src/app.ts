import * as z from 'zod/mini'
import { health } from '@flotilla/contract/site/health'
import { VERSION } from '@flotilla/contract/version'
import { serveRuntimeAssets } from './http/assets'
import { serveAppHosts } from './http/app-hosts'
import { makeAuthority } from './http/authority'
import { makeBind } from './http/bind'
import type { Authenticate } from './http/caller'
import { serveReference } from './http/docs'
import { makeRateLimit } from './http/guards'
import { makeHttpServer } from './http/server'
import { makeSocketRequests } from './http/socket-bind'
import { isAccessToken } from './modules/access-tokens/access-tokens'
import { sweep, sweepHandler } from './sweep'
import { openModules, type ModuleOptions } from './open-modules'

// Without a locale, the library's messages say only that a value is invalid, not why.
z.config(z.locales.en())

export type AppOptions = Omit<ModuleOptions, 'rateLimit'> & {
  /** The built web app; without it only the API is served. */
  webFolder: string | null
}

export type App = Awaited<ReturnType<typeof buildApp>>
/** Opens the modules and serves what they bind. */
export async function buildApp(options: AppOptions) {
  const { config, db, log, now = Date.now } = options
  const rateLimit = makeRateLimit(config.rateLimit, now)
  const opened = await openModules({ ...options, rateLimit })
  const { modules, runtime, siteUrl } = opened
  const http = await makeHttpServer(config, log, rateLimit, options.webFolder)
  serveAppHosts(http.server, config.appsDomain, opened.appHosts)
  const routes: { method: string; url: string }[] = []
  http.addHook(
    'onRoute',
    ({ method, url }) => void routes.push(...[method].flat().map((one) => ({ method: one, url }))),
  )
  const authenticate: Authenticate = (token, { repeat, address, fresh }) =>
    isAccessToken(token)
      ? opened.accessTokens.authenticate(token, address)
      : opened.sessions.authenticate(token, { repeat, fresh })
  const bind = makeBind(http, {
    authenticate,
    authorityOf: makeAuthority({ db, now }),
    requireConfirmed: opened.sessions.requireConfirmed,
    validateReplies: config.validateReplies,
    noteRefused: opened.activities.noteAdminCall,
    sign: opened.activities.system.sign,
  })
  const socketRequests = makeSocketRequests(config)
  bind(health.view, async () => {
    await db.ping()
    return { status: 'ok' as const, version: VERSION }
  })
  const { bindSocket } = socketRequests
  for (const module of modules) {
    module.bind?.(bind)
    module.bindSocket?.(bindSocket)
    module.serveUpgrades?.(http.server)
  }
  serveReference(http)
  serveRuntimeAssets(http, {
    runtime,
    websocketPort: config.websocketPort ?? config.port,
    siteUrl,
    simulated: config.simulated,
    introHtml: opened.settings.siteConfig.introHtml,
    logo: opened.settings.siteConfig.logo,
    // The login page must load even while the database is down.
    announcement: () =>
      opened.settings.announcements.current().then(
        ({ announcement }) => announcement,
        () => null,
      ),
  })

  const sweepAll = async (): Promise<void> => {
    await Promise.all(modules.map(async (module) => module.sweep?.()))
  }
  return {
    http,
    /** The routes served, for the tests that compare them with the contract. */
    routes,
    sessions: opened.sessions,
    users: opened.users,
    credentials: opened.credentials,
    clusters: opened.clusters,
    jobs: opened.jobs,
    desktops: opened.desktops,
    mailRoute: opened.mailRoute,
    socketRequests,
    /** The live rooms of everything a user may see. */
    rooms: modules.flatMap(({ rooms = [] }) => rooms),
    /** Called when the session, roles or visible things of this user (or, if omitted, of any user) may have changed. */
    identityChanged: (userId?: string): void => {
      for (const module of modules) module.identityChanged?.(userId)
    },
    tasks: [sweepHandler(sweepAll), ...modules.flatMap(({ tasks = [] }) => tasks)],
    schedules: [{ task: sweep, match: '* * * * *' }, ...modules.flatMap(({ schedules = [] }) => schedules)],
    sweep: sweepAll,
    leaders: modules.flatMap(({ leader = [] }) => leader),
    /** Stops the modules in reverse order, so that the modules that a module uses outlive it. */
    async stop(): Promise<void> {
      for (const module of modules.toReversed()) await module.stop?.()
    },
  }
}
