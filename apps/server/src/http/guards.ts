import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ServerConfig } from '../config'
import { Failure } from '../fail'

type Served = Pick<ServerConfig, 'websocketPort' | 'appsDomain'>

/**
 * The strictest policy that the web app works under: nothing inline, and nothing from elsewhere but pictures and apps.
 */
function contentSecurityPolicy({ websocketPort, appsDomain }: Served): string {
  const socket = websocketPort
    ? ` http://*:${websocketPort} ws://*:${websocketPort} wss://*:${websocketPort}`
    : ''
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' https: data: blob:",
    `connect-src 'self'${socket}`,
    // Apps are shown in frames, each from a host name of its own.
    `frame-src http://*.${appsDomain}:* https://*.${appsDomain}:*`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The policy for files: one that is opened on its own has no rights at all. */
export const POWERLESS = "default-src 'none'; sandbox"

/** The files that a page loads. The page's own headers govern them, so sending these headers would only cost bytes. */
const PAGE_PARTS = /^\/(boot\.js|static\/[\w.-]+\.(js|css|woff2))$/

type SetHeaders = (request: FastifyRequest, reply: FastifyReply) => void
export function securityHeaders(served: Served): SetHeaders {
  const ofFiles = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' }
  const headers = {
    ...ofFiles,
    'content-security-policy': contentSecurityPolicy(served),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  }
  return (request, reply) => {
    if (PAGE_PARTS.test(request.url)) return void reply.headers(ofFiles)
    reply.headers(headers)
    reply.header('x-request-id', request.id)
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store')
  }
}

/** Whether an address may send another request. */
export type RateLimit = (address: string) => boolean
/** A token bucket per address, refilled continuously. It is large, because a whole class may share one address. */
export function makeRateLimit(perSecond: number, now: () => number): RateLimit {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return (address) => {
    const at = now()
    // A full bucket need not be stored: addresses that are idle are removed when the map grows.
    if (buckets.size > 10_000)
      for (const [known, bucket] of buckets) if (at - bucket.at > 1000) buckets.delete(known)
    const bucket = buckets.get(address) ?? { tokens: perSecond, at }
    // The clock may have been set back.
    const refilled = bucket.tokens + (Math.max(0, at - bucket.at) / 1000) * perSecond
    bucket.tokens = Math.min(perSecond, refilled) - 1
    bucket.at = at
    buckets.set(address, bucket)
    return bucket.tokens >= 0
  }
}
export function addRateLimit(app: FastifyInstance, isWithin: RateLimit): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isWithin(request.ip)) return done()
    reply.header('retry-after', '1')
    done(new Failure('too_many_requests'))
  })
}
