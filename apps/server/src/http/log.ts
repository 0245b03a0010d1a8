import type { FastifyInstance } from 'fastify'

/** One line for each request, by its route and not its address: addresses can hold recovery tokens and invitations. */
export function logRequests(http: FastifyInstance): void {
  // Fastify would make a logger for each request only to add its id.
  http.setChildLoggerFactory((logger) => logger)
  // These lines hold nothing that has to be blacked out, and there are many of them.
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
