import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** The names of ranges that TRUST_PROXY accepts. */
const named: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}
const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6')

/**
 * The client's address for requests that bypass Fastify, by Fastify's rule: the nearest one that is no trusted
 * proxy's.
 */
export function makeAddressOf(trustProxy: string | false): (request: IncomingMessage) => string {
  const proxies = new BlockList()
  const ranges = (trustProxy || '').split(',').map((one) => one.trim())
  for (const range of ranges.flatMap((one) => named[one] ?? (one ? [one] : []))) {
    const [address = '', bits = isIP(address) === 4 ? 32 : 128] = range.split('/')
    proxies.addSubnet(address, Number(bits), familyOf(address))
  }
  const isProxy = (address: string) => isIP(address) > 0 && proxies.check(address, familyOf(address))
  return ({ socket, headers }) => {
    const forwardedFor = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
    const hops = [socket.remoteAddress ?? '', ...forwardedFor.map((one) => one.trim()).toReversed()].filter(
      Boolean,
    )
    return hops.find((hop) => !isProxy(hop)) ?? hops.at(-1) ?? ''
  }
}
