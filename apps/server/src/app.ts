import path from 'node:path'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { health } from '@flotilla/contract/health'
import { BODY_MAX_BYTES, VERSION } from '@flotilla/contract/limits'
import type { ServerConfig } from './config'
import type { Database } from './db/database'
import { serveRuntimeAssets, serveWebApp } from './http/assets'
import { makeBind } from './http/bind'
import { serveReference } from './http/docs'
import { replyWithError, replyWithNoRoute } from './http/errors'
import { addRateLimit, addSecurityHeaders } from './http/guards'
import { logRequests } from './http/log'
import { newId } from './ids'
import type { QueueMail } from './mail/tasks'
import { makeActivities } from './modules/activities/activities'
import { bindActivities } from './modules/activities/routes'
import { makeAttempts } from './modules/attempts/attempts'
import { makeAuth } from './modules/auth/auth'
import { bindAuth } from './modules/auth/routes'
import { makeLdap } from './modules/ldap/ldap'
import { bindLdap } from './modules/ldap/routes'
import { makeLicense } from './modules/license/license'
import { bindLicense } from './modules/license/routes'
import { makeOneTime } from './modules/onetime/onetime'
import { makeSessions } from './modules/sessions/sessions'
import { makeTokens } from './modules/sessions/tokens'
import { bindSettings } from './modules/settings/routes'
import { makeSettings } from './modules/settings/settings'
import { bindUsers } from './modules/users/routes'
import { makeUsers, type Ownable } from './modules/users/users'
import { openRuntimeConfig } from './runtime/runtime'
import type { Secrets } from './secrets/secrets'

export type AppOptions = {
  config: ServerConfig
  db: Database
  secrets: Secrets
  queueMail: QueueMail
  log: Logger
  /** The built web app; without it only the API is served. */
  webFolder: string | null
  /** Whether this server hears at once of what others change. */
  hearsChanges: () => boolean
  ownables?: Ownable[]
  now?: () => number
}

export type App = Awaited<ReturnType<typeof buildApp>>
/** Puts the parts together, by hand and in one place. */
export async function buildApp({ config, db, secrets, queueMail, log, webFolder, hearsChanges, ownables = [], now = Date.now }: AppOptions) {
  const http = await makeHttp(config, log, now, webFolder)
  const routes: { method: string; url: string }[] = []
  http.addHook('onRoute', ({ method, url }) => void routes.push(...[method].flat().map((one) => ({ method: one, url }))))
  const runtime = openRuntimeConfig(config.dataDir, log)
  const siteUrl = async () => (await runtime.config()).server ?? `http://${config.host}:${config.port}`

  const license = makeLicense({ ...config, now })
  const tokens = makeTokens(secrets.deriveKey('session tokens'), now)
  const idleTimer = async () => (await runtime.config()).idleTimer
  const sessions = makeSessions({ db, tokens, idleTimer, hearsChanges, now })
  const oneTime = makeOneTime(db, secrets.deriveKey('one-time secrets'), now)
  const attempts = makeAttempts(db, now)
  const users = makeUsers({ db, sessions, oneTime, attempts, secrets, queueMail, ownables, siteUrl, now })
  const auth = makeAuth({ db, users, sessions, tokens, license, oneTime, attempts, runtime, queueMail, now })

  const bind = makeBind(http, sessions.authenticate, config.validateReplies)
  bind(health.view, async () => {
    await db.ping()
    return { status: 'ok' as const, version: VERSION }
  })
  bindLicense(bind, license)
  bindAuth(bind, auth, sessions)
  bindUsers(bind, users)
  bindLdap(bind, makeLdap(db))
  bindSettings(bind, makeSettings(db, runtime))
  bindActivities(bind, makeActivities(db))
  serveReference(http)
  serveRuntimeAssets(http, { runtime, websocketPort: config.websocketPort ?? config.port, siteUrl, simulated: config.simulated })

  return {
    http,
    /** What is served, for the tests that hold it against the contract. */
    routes,
    sessions,
    users,
    /** Removes what is past its time. */
    async sweep(): Promise<void> {
      await Promise.all([sessions.sweep(), oneTime.sweep(), attempts.sweep()])
    },
  }
}

async function makeHttp(config: ServerConfig, log: FastifyBaseLogger, now: () => number, webFolder: string | null): Promise<FastifyInstance> {
  const http = Fastify({
    loggerInstance: log,
    // Addresses can hold secrets (a recovery link), so requests are logged by their route: http/log.ts.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newId,
    bodyLimit: BODY_MAX_BYTES,
    trustProxy: config.trustProxy,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
    frameworkErrors: replyWithError,
    forceCloseConnections: true,
    requestTimeout: 60_000,
  })
  logRequests(http)
  addSecurityHeaders(http, config.websocketPort)
  addRateLimit(http, config.rateLimit, now)
  http.setErrorHandler(replyWithError)
  const parseJson = http.getDefaultJsonParser('error', 'error')
  http.removeAllContentTypeParsers()
  http.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    // Clients set the type on calls that have no body too.
    if (body === '') done(null, undefined)
    else parseJson(request, body, done)
  })
  if (webFolder) await serveWebApp(http, webFolder)
  http.setNotFoundHandler((request, reply) => {
    const isPage = request.method === 'GET' && !/^\/(api|assets|static|socket\.io)(\/|$|\?)/.test(request.url)
    if (webFolder && isPage) return reply.header('cache-control', 'no-cache').sendFile('index.html', path.resolve(webFolder))
    replyWithNoRoute(request, reply)
  })
  return http
}
