import { lookup as resolve, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/**
 * Addresses that answer with secrets of the machine one is on: what clouds keep for their machines, and everything that
 * is only on the same link.
 */
const forbidden = new BlockList()
forbidden.addSubnet('169.254.0.0', 16)
forbidden.addSubnet('0.0.0.0', 8)
forbidden.addAddress('100.100.100.200')
forbidden.addAddress('168.63.129.16')
forbidden.addAddress('192.0.0.192')
forbidden.addSubnet('fe80::', 10, 'ipv6')
forbidden.addAddress('fd00:ec2::254', 'ipv6')
forbidden.addAddress('::', 'ipv6')

/** An address of the same link may name its interface behind a percent sign. */
export function isForbidden(address: string): boolean {
  const [plain = ''] = address.split('%')
  return forbidden.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}

/** An address that somebody typed and that this server will call: the reason why not, or null. */
export function whyNotCalled(text: string): string | null {
  if (!URL.canParse(text)) return 'Enter an address such as https://example.org'
  const { protocol, username, password, hostname, search, hash } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'The address must begin with http:// or https://'
  if (username || password) return 'The address must not hold a name or a password'
  if (search || hash) return 'The address must end with its path'
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) && isForbidden(host)) return 'This address is reserved for the machine itself'
  return null
}

/** Looks a name up as usual, but a name that leads to a forbidden address leads nowhere. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const [first] = found ?? []
    const refused = !error && found.some(({ address }) => isForbidden(address))
    if (error) callback(error, '', 0)
    else if (refused || !first)
      callback(new Error(`${hostname} leads to an address that is not called`), '', 0)
    else if (options.all) callback(null, found)
    else callback(null, first.address, first.family)
  })
}

/** The IPv4 ones among the forbidden addresses, as a routing table takes them. */
export const forbiddenIpv4 = (): string[] =>
  forbidden.rules.flatMap((rule) => /IPv4 (\S+)$/.exec(rule)?.[1] ?? [])
