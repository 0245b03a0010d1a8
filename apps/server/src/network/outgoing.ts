import { lookup as resolve, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Addresses that may reveal secrets of the machine that connects to them: the metadata services of clouds, and
 * everything link-local.
 */
const forbidden = new BlockList()
forbidden.addSubnet('169.254.0.0', 16)
forbidden.addSubnet('0.0.0.0', 8)
forbidden.addAddress('100.100.100.200')
forbidden.addAddress('168.63.129.16')
forbidden.addAddress('192.0.0.192')
forbidden.addSubnet('fe80::', 10, 'ipv6')
forbidden.addAddress('fd00:ec2::254', 'ipv6')
forbidden.addAddress('fd20:ce::254', 'ipv6')
forbidden.addAddress('::', 'ipv6')

/** Describes such an address to the user who entered it. */
export const FORBIDDEN_ADDRESS =
  'an unspecified, link-local or cloud metadata address, to which the console never connects'

/** Addresses of this machine and of the networks behind it, to which others can connect only if an admin allows it. */
const privateRanges = new BlockList()
privateRanges.addSubnet('127.0.0.0', 8)
privateRanges.addSubnet('10.0.0.0', 8)
privateRanges.addSubnet('172.16.0.0', 12)
privateRanges.addSubnet('192.168.0.0', 16)
privateRanges.addSubnet('100.64.0.0', 10)
// These are not routed on the internet either, so sites and clouds use them internally.
privateRanges.addSubnet('192.0.0.0', 24)
privateRanges.addSubnet('198.18.0.0', 15)
privateRanges.addSubnet('240.0.0.0', 4)
privateRanges.addAddress('::1', 'ipv6')
privateRanges.addSubnet('fc00::', 7, 'ipv6')
privateRanges.addSubnet('fec0::', 10, 'ipv6')

/**
 * The IP address that `host` denotes, in its usual form; null for a name. `0xa9fea9fe` and `169.254.43518` are
 * addresses too.
 */
export function addressOf(host: string): string | null {
  const plain = host
    .replace(/^\[|\]$/g, '')
    .replace(/%.*$/, '')
    .replace(/\.+$/, '')
  // The URL parser reads every spelling that resolvers accept.
  const url = URL.parse(plain.includes(':') ? `http://[${plain}]/` : `http://${plain}/`)
  const address = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  return isIP(address) ? address : null
}

const LAST = [12, 13, 14, 15]
/** Patterns of IPv6 addresses, in hex, and the bytes in which they embed an IPv4 address that they lead to. */
const embeddings: { in: RegExp; at: number[][]; inverted?: true; unlessZero?: true }[] = [
  // IPv4-compatible, IPv4-mapped and IPv4-translated.
  { in: /^0{24}|^0{20}ffff|^0{16}ffff0000/, at: [LAST] },
  // NAT64: the well-known prefix, and the one for local use. The latter has one of four prefix lengths of RFC 6052; the
  // bytes that another length would use are zero.
  { in: /^0064ff9b0{16}/, at: [LAST] },
  {
    in: /^0064ff9b0001/,
    at: [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], LAST],
    unlessZero: true,
  },
  // 6to4
  { in: /^2002/, at: [[2, 3, 4, 5]] },
  // Teredo: its server, and the client with every bit inverted.
  { in: /^20010000/, at: [[4, 5, 6, 7]] },
  { in: /^20010000/, at: [LAST], inverted: true },
  // ISATAP
  { in: /^.{16}0[02]005efe/, at: [LAST] },
]

/** Takes an address in the form that `addressOf` returns. */
function hexOf(address: string): string {
  const [left = [], right = []] = address
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => group.padStart(4, '0'))))
  const zeros = Array<string>(8 - left.length - right.length).fill('0000')
  return [...left, ...zeros, ...right].join('')
}

/** The address itself and every IPv4 address that it leads to. */
function leadsTo(address: string): string[] {
  // `::1` begins with zeros too, but is not an IPv4-compatible address.
  if (isIP(address) === 4 || address === '::1') return [address]
  const hex = hexOf(address)
  const byte = (index: number) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16)
  return [
    address,
    ...embeddings
      .filter((one) => one.in.test(hex))
      .flatMap(({ at, inverted, unlessZero }) =>
        at
          .map((bytes) => bytes.map((index) => (inverted ? 255 - byte(index) : byte(index))))
          .filter(([first]) => !(unlessZero && first === 0))
          .map((bytes) => bytes.join('.')),
      ),
  ]
}

const isIn = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Whether connecting to this address is always forbidden. Unparsable addresses are forbidden too. */
export function isForbidden(text: string): boolean {
  const address = addressOf(text)
  return address === null || leadsTo(address).some((one) => isIn(forbidden, one))
}

/**
 * Whether the address is this machine's or in a private network, where services may listen that are not open to all.
 */
export function isPrivate(text: string): boolean {
  const address = addressOf(text)
  if (address === null) return false
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address) ?? [])
  return leadsTo(address).some((one) => isIn(privateRanges, one) || own.includes(one))
}

/** Whether the address is public, even if it is this machine's own. */
export const isOnInternet = (address: string): boolean =>
  !leadsTo(address).some((one) => isIn(privateRanges, one) || isIn(forbidden, one))

/** The reason why this server must not call a URL that a user entered, or null. */
export function forbiddenUrlReason(text: string): string | null {
  if (!URL.canParse(text)) return 'Enter a URL such as https://example.org'
  const { protocol, username, password, hostname, search, hash } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') return 'The URL must begin with http:// or https://'
  if (username || password) return 'The URL must not contain a username or password'
  if (search || hash) return 'The URL must not have a query or fragment'
  if (addressOf(hostname) !== null && isForbidden(hostname))
    return `This is ${FORBIDDEN_ADDRESS}. Enter another one.`
  return null
}

/** Resolves a name as usual, but fails if it resolves to a forbidden address. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const [first] = found ?? []
    const refused = !error && found.some(({ address }) => isForbidden(address))
    if (error) callback(error, '', 0)
    else if (refused || !first) callback(new Error(`${hostname} resolves to a forbidden address`), '', 0)
    else if (options.all) callback(null, found)
    else callback(null, first.address, first.family)
  })
}

/** The forbidden IPv4 addresses, in the form that a routing table takes. */
export const forbiddenIpv4 = (): string[] =>
  forbidden.rules.flatMap((rule) => /IPv4 (\S+)$/.exec(rule)?.[1] ?? [])
