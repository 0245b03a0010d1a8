import type { FastifyInstance } from 'fastify'

/**
 * Logs one line per request, with its route instead of its URL, because URLs can contain recovery tokens and
 * invitations.
 */
export function logRequests(http: FastifyInstance): void {
  // Fastify would otherwise make a logger for each request, only to add its id.
  http.setChildLoggerFactory((logger) => logger)
  // There are many of these lines, and they contain nothing to redact.
  const lines = http.log.child({}, { redact: [] })
  http.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url
    lines.info({
      reqId: request.id,
      method: request.method,
      route: route ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(request.caller && { user: request.caller.username }),
      ...(request.caller && 'tokenId' in request.caller && { accessToken: request.caller.tokenId }),
    })
    done()
  })
}
