import { isIPv6 } from 'node:net'

const GROUPS = 8
/** A client with one IPv6 address has as many as these bits leave open. */
const OF_THE_NETWORK = 4

/** What one machine cannot leave by choosing another address: the address itself, and of IPv6 the first half. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [before = [], after = []] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''))
  const left = GROUPS - before.length - after.length
  return [...before, ...Array.from({ length: left }, () => '0'), ...after]
    .slice(0, OF_THE_NETWORK)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** The network as people write it. */
export function describeNetwork(address: string): string {
  const network = networkOf(address)
  return network.includes(':') ? `${network}::/64` : network
}
