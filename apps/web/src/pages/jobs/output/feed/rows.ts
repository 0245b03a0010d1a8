import { parseLine, plainStyle } from '../ansi'
import type { Line, Style } from '../ansi'

/** The maximum length of a row. A longer line continues in the next row, because browsers render it too slowly. */
export const ROW_MAX = 2000

/** A row with a known file offset, at which the loaded part can be cut. */
type Mark = { row: number; offset: number }

export type Rows = ReturnType<typeof createRows>

/**
 * The loaded part of an output as rows. Text is appended as the job writes, and prepended as the user loads earlier
 * output. Rows keep their numbers, whatever is added or dropped before them.
 */
export function createRows() {
  let rows: Line[] = []
  let firstRow = 0
  let marks: Mark[] = []
  /** The last, unfinished line, and the style it starts with. */
  let open = ''
  let openStyle: Style = plainStyle
  let openRows = 0
  /** The first line, which may be the second half of a line. Null once it is too long to join. */
  let head: string | null = ''
  let headRows = 0
  let headDone = false
  let characters = 0

  const ingest = (line: string, style: Style): { made: Line[]; style: Style } => {
    const made: Line[] = []
    let now = style
    for (const part of cut(line)) {
      const parsed = parseLine(part, now)
      now = parsed.style
      made.push(parsed.line)
    }
    return { made, style: now }
  }
  const weigh = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + text.length + 1, 0)

  const clear = () => {
    rows = []
    marks = []
    open = ''
    openStyle = plainStyle
    openRows = 0
    head = ''
    headRows = 0
    headDone = false
    characters = 0
  }

  return {
    get: (index: number): Line | undefined => rows[index],
    all: (): readonly Line[] => rows,
    count: () => rows.length,
    firstRow: () => firstRow,
    characters: () => characters,
    /** The number of rows at the end that belong to an unfinished line. */
    openRows: () => openRows,
    clear,

    append(text: string, offset: number): void {
      characters -= weigh(rows.splice(rows.length - openRows, openRows))
      const [first = '', ...others] = (open + text).split('\n')
      const lines = [first, ...others]
      const last = lines.pop() ?? ''
      for (const [at, line] of lines.entries()) {
        const { made, style } = ingest(line, openStyle)
        rows.push(...made)
        characters += weigh(made)
        openStyle = style
        if (!headDone) {
          head = line.length > ROW_MAX ? null : line
          headRows = made.length
          headDone = true
        }
        // The first line ending of each chunk has a known byte offset.
        if (at === 0) mark(text, offset)
      }
      // Text overwritten by a carriage return is not kept: otherwise, a progress bar would grow without limit.
      open = last.slice(Math.max(0, last.lastIndexOf('\r', last.length - 2)))
      const draft = open === '' ? [] : ingest(open, openStyle).made
      openRows = draft.length
      rows.push(...draft)
      characters += weigh(draft)
    },

    /** Adds text that ends where the loaded part starts. */
    prepend(text: string, offset: number): void {
      if (!headDone) {
        // The loaded part has only one unfinished line.
        const tail = open
        clear()
        this.append(text + tail, offset)
        return
      }
      const joins = head !== null
      const lines = (joins ? text + head : text).split('\n')
      // The text's last line ending precedes the first row. It does not start an empty row.
      if (!joins && lines.at(-1) === '') lines.pop()
      const made: Line[] = []
      let style = plainStyle
      let firstLine = 0
      for (const [at, line] of lines.entries()) {
        const parsed = ingest(line, style)
        style = parsed.style
        made.push(...parsed.made)
        if (at === 0) firstLine = parsed.made.length
      }
      const removed = joins ? headRows : 0
      characters += weigh(made) - weigh(rows.slice(0, removed))
      rows = [...made, ...rows.slice(removed)]
      firstRow += removed - made.length
      const [first = ''] = lines
      head = first.length > ROW_MAX ? null : first
      headRows = firstLine
      const place = lineAfter(text, offset)
      if (place !== null && lines.length > 1) marks.unshift({ row: firstRow + firstLine, offset: place })
    },

    /** Drops the oldest rows. Returns the new start offset, or null if no row was dropped. */
    dropFirst(atLeast: number): number | null {
      let weight = 0
      let passed = 0
      const found = marks.find(({ row }) => {
        weight += weigh(rows.slice(passed, row - firstRow))
        passed = row - firstRow
        return weight >= atLeast
      })
      if (!found) return null
      rows = rows.slice(passed)
      firstRow = found.row
      characters -= weight
      marks = marks.filter(({ row }) => row > found.row)
      head = null
      headRows = 0
      headDone = true
      return found.offset
    },

    /** Drops the newest rows. Returns the new end offset, or null if no row was dropped. */
    dropLast(atLeast: number): number | null {
      let weight = 0
      let end = rows.length
      const found = marks.findLast(({ row }) => {
        weight += weigh(rows.slice(row - firstRow, end))
        end = row - firstRow
        return weight >= atLeast
      })
      if (!found) return null
      rows = rows.slice(0, end)
      characters -= weight
      marks = marks.filter(({ row }) => row < found.row)
      open = ''
      openRows = 0
      openStyle = plainStyle
      return found.offset
    },
  }

  function mark(text: string, offset: number): void {
    const place = lineAfter(text, offset)
    if (place !== null) marks.push({ row: firstRow + rows.length, offset: place })
  }
}

const encoder = new TextEncoder()

/** The offset of the line after the first line ending; null if binary content makes it uncertain. */
function lineAfter(text: string, offset: number): number | null {
  const before = text.slice(0, text.indexOf('\n') + 1)
  return before === '' || before.includes('\ufffd') ? null : offset + encoder.encode(before).length
}

/** Splits a line into rows, never inside an escape sequence or a surrogate pair. */
function cut(line: string): string[] {
  if (line.length <= ROW_MAX) return [line]
  const parts: string[] = []
  let at = 0
  while (line.length - at > ROW_MAX) {
    let end = at + ROW_MAX
    const escape = line.lastIndexOf('\x1b', end)
    if (escape > at && end - escape < 32) end = escape
    else if (/[\ud800-\udbff]/.test(line.charAt(end - 1))) end -= 1
    parts.push(line.slice(at, end))
    at = end
  }
  parts.push(line.slice(at))
  return parts
}
