/**
 * The styles that escape sequences can set. Colors are mapped to the console's own, so that they stay readable in both
 * themes.
 */
export type Color = 'red' | 'green' | 'amber' | 'blue' | 'accent' | 'gray'
export type Style = {
  text?: Color
  back?: Color
  bold?: true
  dim?: true
  italic?: true
  underline?: true
  strike?: true
  inverse?: true
}
type Span = { text: string; style: Style }
/** A line as displayed: the plain text, and its styled spans if there are any. */
export type Line = { text: string; spans: Span[] | null }

export const plainStyle: Style = {}

/*
 * Matches, in this order: colors and styles; other CSI sequences; strings to the terminal (titles, links, images);
 * other escapes; control characters; marks that reverse the text direction, which can disguise text.
 */
const special =
  // oxlint-disable-next-line no-control-regex -- it matches control characters
  /\x1b\[([\d;:]*)m|\x1b\[[0-?]*[ -/]*[@-~]?|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f-\x9f]|([\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])/g
// oxlint-disable-next-line no-control-regex -- as above
const anySpecial = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Parses one line of output without its line ending, and returns the style that continues on the next line. */
export function parseLine(raw: string, begin: Style): { line: Line; style: Style } {
  const source = afterReturn(raw)
  if (begin === plainStyle && !anySpecial.test(source))
    return { line: { text: source, spans: null }, style: begin }
  const spans: Span[] = []
  let style = begin
  const add = (text: string) => {
    if (text === '') return
    const last = spans.at(-1)
    if (last?.style === style) last.text += text
    else spans.push({ text, style })
  }
  let at = 0
  for (const match of source.matchAll(special)) {
    add(source.slice(at, match.index))
    at = match.index + match[0].length
    if (match[1] !== undefined) style = applySgr(style, match[1])
    else if (match[2] !== undefined) add('\ufffd')
  }
  add(source.slice(at))
  const text = spans.map((span) => span.text).join('')
  return { line: { text, spans: spans.some((span) => span.style !== plainStyle) ? spans : null }, style }
}

/** The text after the last carriage return, as in a terminal. Progress bars rewrite their line this way. */
function afterReturn(raw: string): string {
  const line = raw.replace(/\r+$/, '')
  return line.slice(line.lastIndexOf('\r') + 1)
}

const basic: (Color | undefined)[] = ['gray', 'red', 'green', 'amber', 'blue', 'accent', 'blue', undefined]

function applySgr(before: Style, parameters: string): Style {
  let style = before
  const codes = parameters.split(/[;:]/).map((code) => Number(code || '0'))
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0
    if (code === 38 || code === 48) {
      const { color, used } = longColor(codes.slice(at + 1))
      style = { ...style, [code === 38 ? 'text' : 'back']: color }
      at += used
    } else style = applyCode(style, code)
  }
  // Returning the same object for the plain style allows comparing by reference.
  return Object.values(style).some((value) => value !== undefined) ? style : plainStyle
}

function applyCode(style: Style, code: number): Style {
  const { text: _text, back: _back, ...rest } = style
  if (code === 0) return plainStyle
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return colored(style, 'text', code % 10)
  if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) return colored(style, 'back', code % 10)
  if (code === 39) return style.back ? { ...rest, back: style.back } : rest
  if (code === 49) return style.text ? { ...rest, text: style.text } : rest
  const on = switchedOn[code]
  if (on) return { ...style, [on]: true }
  const off = switchedOff[code]
  if (!off) return style
  const kept = { ...style }
  for (const name of off) delete kept[name]
  return kept
}

const switchedOn: Record<number, keyof Style> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  7: 'inverse',
  9: 'strike',
}
const switchedOff: Record<number, (keyof Style)[]> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
}

function colored(style: Style, where: 'text' | 'back', index: number): Style {
  const { [where]: _before, ...rest } = style
  const color = basic[index]
  return color ? { ...rest, [where]: color } : rest
}

/** Maps `5;n` (one of 256 colors) and `2;r;g;b` (any color) to the nearest color of the console. */
function longColor([kind, ...more]: number[]): { color: Color | undefined; used: number } {
  const [first = 0, green = 0, blue = 0] = more
  if (kind === 2) return { color: nearest(first, green, blue), used: 4 }
  if (kind !== 5) return { color: undefined, used: 0 }
  if (first < 16) return { color: basic[first % 8], used: 2 }
  if (first >= 232) return { color: first < 244 ? 'gray' : undefined, used: 2 }
  const cube = first - 16
  return {
    color: nearest(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51),
    used: 2,
  }
}

function nearest(red: number, green: number, blue: number): Color | undefined {
  const most = Math.max(red, green, blue)
  const span = most - Math.min(red, green, blue)
  if (span < 40) return most < 128 ? 'gray' : undefined
  const sixth =
    most === red ? (green - blue) / span : most === green ? 2 + (blue - red) / span : 4 + (red - green) / span
  const hue = (sixth * 60 + 360) % 360
  if (hue < 20 || hue >= 330) return 'red'
  if (hue < 70) return 'amber'
  if (hue < 165) return 'green'
  return hue < 255 ? 'blue' : 'accent'
}
