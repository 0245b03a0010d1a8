/** IPv4 only, like the networks of clusters. */
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** An address as a number, or null if it is not valid. */
export const addressOf = (text: string): number | null =>
  IPV4.test(text) ? text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) : null

const textOf = (address: number): string =>
  [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join('.')

export interface Range {
  first: number
  last: number
  bits: number
}

/** Parses a range such as 10.77.0.0/16; null if it is invalid. Clouds require the bits after the prefix to be 0. */
export function rangeOf(text: string): Range | null {
  const [address = '', prefix = '', ...rest] = text.split('/')
  const first = addressOf(address)
  if (first === null || rest.length > 0 || !/^\d{1,2}$/.test(prefix) || Number(prefix) > 32) return null
  const size = 2 ** (32 - Number(prefix))
  return first % size === 0 ? { first, last: first + size - 1, bits: Number(prefix) } : null
}

export const overlap = (one: Range, other: Range): boolean =>
  one.first <= other.last && other.first <= one.last

/** The first subnet of a range with this many additional prefix bits. */
export function firstPart({ first, bits }: Range, more: number): Range {
  const size = 2 ** (32 - bits - more)
  return { first, last: first + size - 1, bits: bits + more }
}

/** Why a machine cannot have the address in this range, or null. The cloud reserves `kept` addresses at the ends. */
export function outsideReason(
  address: number,
  range: Range,
  kept: { first: number; last: number },
): string | null {
  const [from, to] = [range.first + kept.first, range.last - kept.last]
  return address >= from && address <= to ? null : `Enter an address from ${textOf(from)} to ${textOf(to)}`
}
