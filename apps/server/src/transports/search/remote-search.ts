import type { Transport } from '../transport'
import { longestOf } from './pattern'
import { searched, withText, type Bare, type Found, type Read, type Slice } from './scan'

/** A remote command takes some time to start, so it searches several slices at once. */
const SLICES = 8
const timeoutMs = 60_000
/** Both programs read only this part, which bounds the length of a line, because grep keeps a line in memory. */
const script = `file=$1 from=$2 length=$3 more=$4 lines=$5
shift 5
LC_ALL=C
export LC_ALL
part() { tail -c "+$from" -- "$file" | head -c "$1"; }
found=$({ part "$more" | grep -a -b -n -o -i -F "$@"; echo "exit $?"; } | head -n "$lines")
printf '%s\\n' "$found"
case "
$found" in *"
exit "*) part "$length" | wc -lc ;; esac`

/**
 * Searches with grep on the machine that has the file, so that the file is not transferred. Undefined if that is not
 * possible: there is no usable grep, or the text has non-ASCII letters, whose case it ignores.
 */
export async function remoteSearch(
  exec: Transport['exec'],
  path: string,
  read: Read,
  given: Slice,
): Promise<Found | undefined> {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  if (!given.texts.every((text) => /^[\x01-\x7f]+$/.test(text))) return undefined
  const slice = { ...given, length: given.length * SLICES }
  const { offset, length, limit, texts, words } = slice
  const numbers = [offset + 1, length, length + longestOf(slice), limit + 1].map(String)
  const wanted = [...(words ? ['-w'] : []), ...texts.flatMap((text) => ['-e', text])]
  const { stdout } = await exec(['/bin/sh', '-c', script, 'sh', path, ...numbers, ...wanted], { timeoutMs })
  const lines = stdout.split('\n')
  const ended = lines.findIndex((line) => line.startsWith('exit '))
  const matches = lines
    .slice(0, ended < 0 ? limit : ended)
    .flatMap((line) => matchOf(line, offset) ?? [])
    .filter((match) => match.offset < offset + length)
  const last = matches.at(-1)
  if (last && matches.length >= limit)
    return {
      matches: await withText(read, matches),
      next: last.offset + last.length,
      lines: last.line,
      atEnd: false,
    }
  const [, newlines, bytes] = /^\s*(\d+)\s+(\d+)$/.exec(lines[ended + 1] ?? '') ?? []
  if (!/^exit [01]$/.test(lines[ended] ?? '') || bytes === undefined) return undefined
  return searched(read, slice, { matches, lines: Number(newlines), to: offset + Number(bytes) })
}

/** Parses `12:3456:text`, a match in the twelfth line at that byte. */
function matchOf(line: string, offset: number): Bare | undefined {
  const [, number, at, text] = /^(\d+):(\d+):(.+)$/.exec(line) ?? []
  return text === undefined
    ? undefined
    : { offset: offset + Number(at), length: text.length, line: Number(number) - 1 }
}
