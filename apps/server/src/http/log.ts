import type { FastifyInstance } from 'fastify'

/** One line for each request, by its route and not its address: addresses can hold recovery tokens and invitations. */
export function logRequests(http: FastifyInstance): void {
  http.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url
    request.log.info({
      method: request.method,
      route: route ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(request.caller && { user: request.caller.username }),
    })
  })
}
