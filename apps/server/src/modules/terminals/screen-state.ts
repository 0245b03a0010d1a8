import type { IBufferCell, IBufferLine, Terminal } from '@xterm/headless'

/** Colors and flags of a cell or of the pen. The library's cells have these, but its types lack the underline's. */
export type Style = Omit<IBufferCell, 'getWidth' | 'getChars' | 'getCode'> & {
  fg: number
  bg: number
  extended: { ext: number; urlId: number }
  getUnderlineStyle(): number
}
export type Cell = Style & Pick<IBufferCell, 'getWidth' | 'getChars'>

type Charset = Record<string, string> | undefined
export type InternalBuffer = {
  scrollTop: number
  scrollBottom: number
  savedX: number
  savedY: number
  savedCurAttrData: Style
}
/** The parts of a screen besides its cells that the library's public API does not expose. */
export type Internals = {
  buffers: { normal: InternalBuffer; active: InternalBuffer }
  coreService: {
    isCursorHidden: boolean
    decPrivateModes: { cursorBlink?: boolean; cursorStyle?: 'block' | 'underline' | 'bar' }
  }
  coreMouseService: { activeEncoding: string }
  _charsetService: { glevel: number; charset: Charset; _charsets: Charset[] }
  _inputHandler: { _curAttrData: Style; _parser: { currentState: number } }
}

/**
 * The cast is safe only for the pinned version in package.json. screen.test.ts covers all of these private members, so
 * an upgrade that renames one fails there.
 */
export const internalsOf = (terminal: Terminal): Internals =>
  (terminal as unknown as { _core: Internals })._core

/** The cast is safe because the library's cells have all of `Cell`. `reuse` avoids creating an object per cell. */
export const cellOf = (line: IBufferLine | undefined, column: number, reuse?: Cell): Cell | undefined =>
  line?.getCell(column, reuse as unknown as IBufferCell) as Cell | undefined
