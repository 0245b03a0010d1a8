import { TEXT_PAGE_BYTES } from '@flotilla/contract/jobs/files'
import type { Files } from '../../transports/files'

/** How far a page extends to the end of its last line; a longer line is split. */
const LINE_MAX = 64 * 1024
const NEW_LINE = 10

/** Where the first line begins at or after `from`; a line that is too long is split at `from` instead. */
function lineStart(bytes: Buffer, from: number): number {
  if (from <= 0) return 0
  const end = bytes.indexOf(NEW_LINE, from - 1)
  if (end !== -1 && end - from < LINE_MAX) return end + 1
  if (end === -1 && bytes.length - from < LINE_MAX) return bytes.length
  // A character of several bytes is not split: its continuation bytes belong to the page before.
  let at = from
  while (at < from + 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return at
}

/** One page of a file. Together the pages are the whole file, split at line ends unless a line is too long. */
export async function readPage(area: Pick<Files, 'read'>, path: string, page: number) {
  const begin = page * TEXT_PAGE_BYTES
  // The byte before shows whether a line begins here.
  const offset = Math.max(0, begin - 1)
  const length = begin - offset + TEXT_PAGE_BYTES + LINE_MAX + 1
  const { size, modifiedAt, stream } = await area.read(path, { offset, length })
  const bytes = Buffer.concat(await stream.toArray())
  const start = lineStart(bytes, begin - offset)
  const end = Math.max(start, lineStart(bytes, begin - offset + TEXT_PAGE_BYTES))
  const shown = bytes.subarray(start, Math.min(end, bytes.length))
  return {
    text: shown.toString('utf8'),
    page,
    pages: Math.max(1, Math.ceil(size / TEXT_PAGE_BYTES)),
    size,
    offset: offset + start,
    modifiedAt: Math.round(modifiedAt),
    binary: shown.includes(0),
  }
}
