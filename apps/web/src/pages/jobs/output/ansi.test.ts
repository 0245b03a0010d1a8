import { describe, expect, it } from 'vitest'
import { parseLine, plainStyle } from './ansi'
import type { Style } from './ansi'

const shown = (raw: string) => parseLine(raw, plainStyle).line
const styleAfter = (raw: string, begin: Style = plainStyle) => parseLine(raw, begin).style

describe('a line of output', () => {
  it('is unchanged if it is plain', () => {
    expect(shown('step 1\tdone – ü')).toEqual({ text: 'step 1\tdone – ü', spans: null })
  })

  it('keeps its colors and styles', () => {
    expect(shown('\x1b[1;31mfailed\x1b[0m: 3')).toEqual({
      text: 'failed: 3',
      spans: [
        { text: 'failed', style: { bold: true, text: 'red' } },
        { text: ': 3', style: {} },
      ],
    })
    expect(shown('\x1b[92;44;3;4;9mx').spans).toEqual([
      { text: 'x', style: { text: 'green', back: 'blue', italic: true, underline: true, strike: true } },
    ])
  })

  it('removes styles one by one', () => {
    const styled = styleAfter('\x1b[1;2;7;31;42m')
    expect(styleAfter('\x1b[22m', styled)).toEqual({ inverse: true, text: 'red', back: 'green' })
    expect(styleAfter('\x1b[39;27m', styled)).toEqual({ bold: true, dim: true, back: 'green' })
    expect(styleAfter('\x1b[49m', styled)).toMatchObject({ text: 'red' })
    expect(styleAfter('\x1b[m', styled)).toBe(plainStyle)
  })

  it('maps every color to a readable one', () => {
    const text = (codes: string) => styleAfter(`\x1b[${codes}m`).text
    expect(text('38;5;196')).toBe('red')
    expect(text('38;5;2')).toBe('green')
    expect(text('38;2;10;20;250')).toBe('blue')
    expect(text('38:2:250:200:0')).toBe('amber')
    expect(text('38;5;250')).toBeUndefined()
    expect(styleAfter('\x1b[38;5;196;1m')).toEqual({ text: 'red', bold: true })
  })

  it('continues an open style on the next line', () => {
    const first = parseLine('\x1b[33mwarning', plainStyle)
    expect(parseLine('still', first.style).line.spans).toEqual([{ text: 'still', style: { text: 'amber' } }])
  })

  it('shows the last state of a progress bar', () => {
    expect(shown('10 %\r50 %\r100 %').text).toBe('100 %')
    expect(shown('done\r').text).toBe('done')
  })

  it('contains no other escape sequences or control characters', () => {
    expect(shown('a\x1b[2J\x1b[Hb\x1b]0;title\x07c\x1bPq#0\x1b\\d\x1b(Be').text).toBe('abcde')
    expect(shown('\x00a\x07\x08b\x7f\x9bc').text).toBe('abc')
    expect(shown('x\u202egnp.exe').text).toBe('x\ufffdgnp.exe')
    expect(shown('<script>&amp;').text).toBe('<script>&amp;')
    expect(shown('cut off \x1b[3').text).toBe('cut off ')
  })
})
