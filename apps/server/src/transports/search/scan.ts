import { finderOf, longestOf, type Finder, type Sought } from './pattern'

/** A part of a file to search. */
export interface Slice extends Sought {
  offset: number
  length: number
  /** The maximum number of matches. */
  limit: number
}

export interface Match {
  /** The offset in bytes from the start of the file. */
  offset: number
  length: number
  /** Line endings between the start of the slice and the match. */
  line: number
  /** The text around the match in its line; `at` is the position of the match in it. */
  text: string
  at: number
}

export interface Found {
  matches: Match[]
  /** Where to continue; `lines` is the number of line endings between the start of the slice and there. */
  next: number
  lines: number
  /** The file ends here; a match may still begin between `next` and the end if the file grows. */
  atEnd: boolean
}

export type Read = (offset: number, length: number) => Promise<Buffer>
/** A match whose line has not been read yet. */
export type Bare = Pick<Match, 'offset' | 'length' | 'line'>

const pieceBytes = 1024 * 1024
const sampleBytes = 64 * 1024
const lineEnd = 10

/** Reads the slice piece by piece, so that neither a large file nor an endless line is in memory at once. */
export async function scan(read: Read, slice: Slice): Promise<Found> {
  const { offset, limit } = slice
  const end = offset + slice.length
  const longest = longestOf(slice)
  // Includes the byte before the piece and enough bytes after it for the longest match plus one, which are needed to
  // recognize whole words.
  const fetch = async (at: number) => {
    const before = Math.min(1, at)
    const wanted = Math.min(pieceBytes, end - at)
    const data = await readAll(read, at - before, before + wanted + longest)
    return { data, before, fresh: Math.max(0, Math.min(wanted, data.length - before)) }
  }
  const matches: Bare[] = []
  let find: Finder | undefined
  let lines = 0
  let at = offset
  let free = offset
  let ahead = fetch(at)
  for (;;) {
    const { data, before, fresh } = await ahead
    if (fresh === 0) break
    // The next piece is fetched while the current one is searched.
    ahead = at + fresh < end ? fetch(at + fresh) : Promise.resolve({ data, before, fresh: 0 })
    ahead.catch(() => undefined)
    find ??= finderOf(slice, data.subarray(0, sampleBytes))
    let counted = before
    const countTo = (to: number) => {
      for (let found = data.indexOf(lineEnd, counted); found >= 0 && found < to;) {
        lines++
        found = data.indexOf(lineEnd, found + 1)
      }
      counted = to
    }
    const start = at - before
    let place = find(data, Math.max(before, free - start))
    while (place && place.at < before + fresh) {
      countTo(place.at)
      matches.push({ offset: start + place.at, length: place.length, line: lines })
      free = start + place.at + place.length
      if (matches.length >= limit)
        return { matches: await withText(read, matches), next: free, lines, atEnd: false }
      place = find(data, place.at + place.length)
    }
    countTo(before + fresh)
    at += fresh
  }
  return searched(read, slice, { matches, lines, to: at })
}

/** The result after everything up to `to` was searched, which is before the end of the slice if the file ends there. */
export async function searched(
  read: Read,
  slice: Slice,
  { matches, lines, to }: { matches: Bare[]; lines: number; to: number },
): Promise<Found> {
  const { offset, length } = slice
  const atEnd = to < offset + length
  const last = matches.at(-1)
  const free = last ? last.offset + last.length : offset
  const next = Math.max(offset, free, atEnd ? to - longestOf(slice) + 1 : to)
  const beyond = next < to ? countLines(await readAll(read, next, to - next)) : 0
  return { matches: await withText(read, matches), next, lines: lines - beyond, atEnd }
}

const countLines = (data: Buffer) => data.reduce((sum, byte) => (byte === lineEnd ? sum + 1 : sum), 0)

/** Reads repeatedly, since a read may return less than requested; only an empty one means the end of the file. */
async function readAll(read: Read, offset: number, length: number): Promise<Buffer> {
  const first = await read(offset, length)
  if (first.length === length || first.length === 0) return first
  const pieces = [first]
  let got = first.length
  while (got < length) {
    const more = await read(offset + got, length - got)
    if (more.length === 0) break
    pieces.push(more)
    got += more.length
  }
  return Buffer.concat(pieces)
}

const beforeBytes = 60
const afterBytes = 160

/** Adds the line around each match, limited to what fits on a screen. */
export const withText = (read: Read, matches: Bare[]): Promise<Match[]> =>
  Promise.all(
    matches.map(async (match) => {
      const from = Math.max(0, match.offset - beforeBytes)
      const data = await read(from, match.offset - from + match.length + afterBytes)
      const begin = match.offset - from
      const start = data.subarray(0, begin).lastIndexOf(lineEnd) + 1
      const newline = data.indexOf(lineEnd, begin)
      const before = wholeFrom(data.subarray(start, begin)).toString()
      const text = before + data.subarray(begin, newline < 0 ? undefined : newline).toString()
      return { ...match, text, at: before.length }
    }),
  )

/** Drops the remaining bytes of a truncated character. */
function wholeFrom(data: Buffer): Buffer {
  let cut = 0
  while (cut < Math.min(3, data.length) && ((data[cut] ?? 0) & 0xc0) === 0x80) cut++
  return data.subarray(cut)
}
