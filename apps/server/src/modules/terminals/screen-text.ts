import type { IBuffer, IBufferLine, Terminal } from '@xterm/headless'
import {
  cellOf,
  internalsOf,
  type Cell,
  type InternalBuffer,
  type Internals,
  type Style,
} from './screen-state'

const CSI = '\x1b['
const PLAIN = `${CSI}0m`

type ColorKind = 'rgb' | 'palette' | 'default'
const color = (select: 38 | 48, kind: ColorKind, value: number): string[] => {
  if (kind === 'rgb') return [`${select};2;${value >> 16};${(value >> 8) & 255};${value & 255}`]
  return kind === 'palette' ? [`${select};5;${value}`] : []
}
const kindOf = (isRgb: boolean, isPalette: boolean): ColorKind =>
  isRgb ? 'rgb' : isPalette ? 'palette' : 'default'

/** The sequence that sets exactly this style, whatever the previous style was. */
function sgr(style: Style): string {
  const codes = [
    '0',
    ...(style.isBold() ? ['1'] : []),
    ...(style.isDim() ? ['2'] : []),
    ...(style.isItalic() ? ['3'] : []),
    // The browser underlines links. Only the text of links is kept, so they are not underlined here.
    ...(style.getUnderlineStyle() > 0 && !style.extended.urlId ? [`4:${style.getUnderlineStyle()}`] : []),
    ...(style.isBlink() ? ['5'] : []),
    ...(style.isInverse() ? ['7'] : []),
    ...(style.isInvisible() ? ['8'] : []),
    ...(style.isStrikethrough() ? ['9'] : []),
    ...(style.isOverline() ? ['53'] : []),
    ...color(38, kindOf(style.isFgRGB(), style.isFgPalette()), style.getFgColor()),
    ...color(48, kindOf(style.isBgRGB(), style.isBgPalette()), style.getBgColor()),
  ]
  return `${CSI}${codes.join(';')}m`
}

/** Caches the last sequence, because adjacent cells mostly have the same style. */
function rememberStyles(): (cell: Cell) => string {
  let [fg, bg, ext, text] = [-1, -1, -1, '']
  return (cell) => {
    if (cell.fg !== fg || cell.bg !== bg || cell.extended.ext !== ext)
      [fg, bg, ext, text] = [cell.fg, cell.bg, cell.extended.ext, sgr(cell)]
    return text
  }
}

/** Whether printing this line to its end wraps into the next one, as when it was originally written. */
function wrapsInto(next: IBufferLine | undefined, blanksAtEnd: number): boolean {
  const first = next?.getCell(0)
  if (!next?.isWrapped || !first?.getChars()) return false
  // A wide character that did not fit leaves one blank at the end of the line.
  return blanksAtEnd === 0 || (blanksAtEnd === 1 && first.getWidth() === 2)
}

/** The text that draws the lines of a buffer on an empty screen of the same size. */
function rowsText(buffer: IBuffer, from: number, columns: number): string {
  let text = ''
  let pen = PLAIN
  const setPen = (next: string) => {
    if (next !== pen) text += next
    pen = next
  }
  const styles = rememberStyles()
  let reused: Cell | undefined
  for (let row = from; row < buffer.length; row++) {
    const line = buffer.getLine(row)
    let blanks = 0
    /** The style of those blanks; undefined if they are as on an empty screen. */
    let blankStyle: string | undefined
    const passBlanks = (isEnd: boolean) => {
      if (blanks > 0 && blankStyle !== undefined) {
        setPen(blankStyle)
        text += `${CSI}${blanks}X`
      }
      if (blanks > 0 && !isEnd) text += `${CSI}${blanks}C`
      if (!isEnd) blanks = 0
    }
    for (let column = 0; column < columns; column++) {
      const cell = cellOf(line, column, reused)
      reused = cell
      // A width of 0 is the second half of a wide character.
      if (!cell || cell.getWidth() === 0) continue
      const chars = cell.getChars()
      if (chars !== '') {
        passBlanks(false)
        setPen(styles(cell))
        text += chars
        continue
      }
      // A wrapped line is filled with the background of the text that wrapped, so blanks need the plain style.
      const style = !cell.isBgDefault() ? styles(cell) : line?.isWrapped ? PLAIN : undefined
      if (blanks > 0 && style !== blankStyle) passBlanks(false)
      blankStyle = style
      blanks += 1
    }
    passBlanks(true)
    if (row === buffer.length - 1 || wrapsInto(buffer.getLine(row + 1), blanks)) continue
    // Scrolling fills a new line with the pen's background.
    setPen(PLAIN)
    text += '\r\n'
  }
  return text
}

/** Moves the cursor to its position in the buffer. Past the last column that requires printing in that column. */
function cursorText(buffer: IBuffer, columns: number, firstRow: number): string {
  const { cursorX, cursorY } = buffer
  const to = (column: number) => `${CSI}${cursorY - firstRow + 1};${column + 1}H`
  if (cursorX < columns) return to(cursorX)
  const line = buffer.getLine(buffer.baseY + cursorY)
  const column = cellOf(line, columns - 1)?.getWidth() === 0 ? columns - 2 : columns - 1
  const cell = cellOf(line, column)
  return cell?.getChars() ? to(column) + sgr(cell) + cell.getChars() : to(column)
}

const regionText = ({ scrollTop, scrollBottom }: InternalBuffer, rows: number): string =>
  scrollTop > 0 || scrollBottom < rows - 1 ? `${CSI}${scrollTop + 1};${scrollBottom + 1}r` : ''

/** Moves to the saved cursor position with the saved style. */
const savedCursorText = ({ savedX, savedY, savedCurAttrData }: InternalBuffer, baseY: number): string =>
  `${CSI}${Math.max(0, savedY - baseY) + 1};${savedX + 1}H${sgr(savedCurAttrData)}`

const CURSOR_STYLES = { block: 2, underline: 4, bar: 6 }
const MOUSE_MODES = { none: '', x10: '?9', vt200: '?1000', drag: '?1002', any: '?1003' }
const MOUSE_ENCODINGS: Record<string, string> = { SGR: '?1006', SGR_PIXELS: '?1016' }

/** The sequences for modes that differ from those of a new terminal. */
function modesText({ modes }: Terminal, { coreService, coreMouseService }: Internals): string {
  const { cursorBlink, cursorStyle } = coreService.decPrivateModes
  const set = [
    modes.applicationCursorKeysMode && '?1',
    modes.applicationKeypadMode && '?66',
    modes.bracketedPasteMode && '?2004',
    modes.insertMode && '4',
    modes.reverseWraparoundMode && '?45',
    modes.sendFocusMode && '?1004',
    MOUSE_MODES[modes.mouseTrackingMode],
    MOUSE_ENCODINGS[coreMouseService.activeEncoding],
  ].filter(Boolean)
  return [
    ...set.map((mode) => `${CSI}${mode}h`),
    modes.wraparoundMode ? '' : `${CSI}?7l`,
    coreService.isCursorHidden ? `${CSI}?25l` : '',
    cursorStyle ? `${CSI}${CURSOR_STYLES[cursorStyle] - (cursorBlink ? 1 : 0)} q` : '',
  ].join('')
}

/** The sequences for the line-drawing charset, which older full-screen programs switch on and off. */
function charsetText({ _charsetService: { glevel, charset, _charsets } }: Internals): string {
  const draws = (level: number) => (level === glevel ? charset : _charsets[level])?.q === '─'
  return `${draws(0) ? '\x1b(0' : ''}${draws(1) ? '\x1b)0' : ''}${glevel === 1 ? '\x0e' : ''}`
}

/** The text that draws this screen on a new terminal of the same size, with at most `scrollback` lines above it. */
export function screenText(terminal: Terminal, title: string, scrollback: number): string {
  const { cols, rows, modes } = terminal
  const { normal, active } = terminal.buffer
  const internals = internalsOf(terminal)
  const { buffers } = internals
  const { scrollTop, savedX, savedY } = buffers.active
  let text = rowsText(normal, Math.max(0, normal.baseY - scrollback), cols)
  if (active.type === 'alternate') {
    // Entering the alternate screen saves the cursor and its style, which leaving restores, and fills it with the pen's
    // background.
    text += regionText(buffers.normal, rows) + savedCursorText(buffers.normal, normal.baseY)
    text += `${CSI}?1049h${PLAIN}${CSI}2J${CSI}H${rowsText(active, 0, cols)}`
  }
  if (savedX > 0 || savedY > 0) text += `${savedCursorText(buffers.active, active.baseY)}\x1b7`
  text += regionText(buffers.active, rows)
  if (modes.originMode) text += `${CSI}?6h`
  text += cursorText(active, cols, modes.originMode ? scrollTop : 0)
  text += sgr(internals._inputHandler._curAttrData)
  text += charsetText(internals) + modesText(terminal, internals)
  return title ? `${text}\x1b]2;${title}\x07` : text
}
