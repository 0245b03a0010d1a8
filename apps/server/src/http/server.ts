import path from 'node:path'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { BODY_MAX_BYTES } from '@flotilla/contract/limits'
import type { ServerConfig } from '../config'
import { newId } from '../ids'
import { serveWebApp } from './assets'
import { addBodyParsers } from './body'
import { replyWithError, replyWithNoRoute } from './errors'
import { addRateLimit, securityHeaders, type RateLimit } from './guards'
import { logRequests } from './log'

/** Makes the HTTP server with everything that applies to all requests, before any endpoint is bound. */
export async function makeHttpServer(
  config: ServerConfig,
  log: FastifyBaseLogger,
  rateLimit: RateLimit,
  webFolder: string | null,
): Promise<FastifyInstance> {
  const setHeaders = securityHeaders(config)
  const http = Fastify({
    loggerInstance: log,
    // URLs can contain secrets (a recovery link), so requests are logged by their route: http/log.ts.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newId,
    bodyLimit: BODY_MAX_BYTES,
    trustProxy: config.trustProxy,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 300 },
    // A request with a malformed URL passes through no hook.
    frameworkErrors: (error, request, reply) => {
      setHeaders(request, reply)
      replyWithError(error, request, reply)
    },
    forceCloseConnections: 'idle',
    requestTimeout: 60_000,
  })
  logRequests(http)
  http.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply)
    done()
  })
  addRateLimit(http, rateLimit)
  http.setErrorHandler(replyWithError)
  addBodyParsers(http)
  if (webFolder) await serveWebApp(http, webFolder)
  http.setNotFoundHandler((request, reply) => {
    const isPage = request.method === 'GET' && !/^\/(api|assets|static|socket\.io)(\/|$|\?)/.test(request.url)
    if (webFolder && isPage)
      return reply.header('cache-control', 'no-cache').sendFile('index.html', path.resolve(webFolder))
    replyWithNoRoute(request, reply)
  })
  return http
}
