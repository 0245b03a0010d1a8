/** The search pattern: any of these texts, in upper or lower case. */
export interface Sought {
  texts: readonly string[]
  /** Match only whole words: no letter, digit or underscore next to the match. */
  words: boolean
}

/** A text as bytes in lower and in upper case; each byte of a file is compared with both. */
interface Cases {
  lower: Buffer
  upper: Buffer
}
interface Place {
  at: number
  length: number
}
/** The first place at or after an offset in these bytes. */
export type Finder = (data: Buffer, from: number) => Place | undefined

/** Letters whose other case has a different number of bytes, such as the German sharp s, match only as typed. */
function casesOf(text: string): Cases {
  const pairs = Array.from(text, (letter) => {
    const [lower, upper] = [Buffer.from(letter.toLowerCase()), Buffer.from(letter.toUpperCase())]
    return lower.length === upper.length
      ? { lower, upper }
      : { lower: Buffer.from(letter), upper: Buffer.from(letter) }
  })
  return {
    lower: Buffer.concat(pairs.map((pair) => pair.lower)),
    upper: Buffer.concat(pairs.map((pair) => pair.upper)),
  }
}

/** The length of the longest text in bytes. */
export const longestOf = ({ texts }: Sought): number =>
  Math.max(...texts.map((text) => casesOf(text).lower.length))

const isWordByte = (byte: number | undefined) =>
  byte !== undefined &&
  ((byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || byte === 95 || (byte >= 97 && byte <= 122))

/** Chooses the fastest finder for the file, of which `sample` is a part. */
export function finderOf({ texts, words }: Sought, sample: Buffer): Finder {
  const all = texts.map(casesOf)
  const [only] = all
  const rare = all.length === 1 && only ? rarest(only, sample) : undefined
  const find = only && rare !== undefined ? byRareByte(only, rare) : byExpression(all)
  if (!words) return find
  return (data, from) => {
    for (let place = find(data, from); place; place = find(data, place.at + 1))
      if (!isWordByte(data[place.at - 1]) && !isWordByte(data[place.at + place.length])) return place
    return undefined
  }
}

/** If a byte is more frequent than this, checking each occurrence is slower than a regular expression. */
const RARE = 0.02

/** The byte of the text that occurs least often in the sample; undefined if all are frequent. */
function rarest({ lower, upper }: Cases, sample: Buffer): number | undefined {
  const counts = new Uint32Array(256)
  for (const byte of sample) counts[byte] = (counts[byte] ?? 0) + 1
  const met = Array.from(lower, (low, index) => {
    const high = upper[index] ?? low
    return (counts[low] ?? 0) + (high === low ? 0 : (counts[high] ?? 0))
  })
  const least = Math.min(...met)
  return least > sample.length * RARE ? undefined : met.indexOf(least)
}

/** Searches for a single byte first, which is many times faster than searching for a text. */
function byRareByte({ lower, upper }: Cases, index: number): Finder {
  const [low = 0, high = 0] = [lower[index], upper[index]]
  const { length } = lower
  const isAt = (data: Buffer, at: number) => {
    for (let i = 0; i < length; i++) {
      const byte = data[at + i]
      if (byte !== lower[i] && byte !== upper[i]) return false
    }
    return true
  }
  const next = (data: Buffer, byte: number, from: number) => {
    const at = data.indexOf(byte, from)
    return at < 0 ? Infinity : at
  }
  return (data, from) => {
    let nextLow = next(data, low, from + index)
    let nextHigh = low === high ? Infinity : next(data, high, from + index)
    for (;;) {
      const candidate = Math.min(nextLow, nextHigh)
      if (candidate === Infinity) return undefined
      if (isAt(data, candidate - index)) return { at: candidate - index, length }
      if (candidate === nextLow) nextLow = next(data, low, candidate + 1)
      else nextHigh = next(data, high, candidate + 1)
    }
  }
}

const hex = (byte: number) => `\\x${byte.toString(16).padStart(2, '0')}`

/** A regular expression over bytes, each decoded as one character. */
function byExpression(all: Cases[]): Finder {
  const source = all
    .map(({ lower, upper }) =>
      Array.from(lower, (low, index) => {
        const high = upper[index] ?? low
        return low === high ? hex(low) : `[${hex(low)}${hex(high)}]`
      }).join(''),
    )
    .join('|')
  const expression = new RegExp(source, 'g')
  let last: { data: Buffer; text: string } | undefined
  return (data, from) => {
    if (last?.data !== data) last = { data, text: data.toString('latin1') }
    expression.lastIndex = from
    const match = expression.exec(last.text)
    return match ? { at: match.index, length: match[0].length } : undefined
  }
}
