import { isIPv6 } from 'node:net'

const GROUPS = 8
/** The groups that identify a network: a client with one IPv6 address can use any other that begins with them. */
const NETWORK_GROUPS = 4

/**
 * The network that a machine cannot leave by choosing another address: an IPv4 address, or the first half of an IPv6
 * one.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [before = [], after = []] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''))
  const left = GROUPS - before.length - after.length
  return [...before, ...Array.from({ length: left }, () => '0'), ...after]
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** The network in its usual notation. */
export function describeNetwork(address: string): string {
  const network = networkOf(address)
  return network.includes(':') ? `${network}::/64` : network
}
