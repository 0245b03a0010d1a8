// @vitest-environment node
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { contrast, parseColor } from './ui/status/accent'

/* Every combination of text and background in the kit has a contrast of at least 4.5:1, in both themes and palettes. */

const css = readFileSync(new URL('colors.css', import.meta.url), 'utf8')

function tokens(selector: string): Record<string, string> {
  const start = css.indexOf(`${selector} {`)
  const block = css.slice(start, css.indexOf('}', start))
  const found = block.matchAll(/--([\w-]+):\s*(?:var\([\w-]+,\s*)?(#[0-9a-f]{6}|\d+%)/g)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]))
}

const light = tokens("[data-theme='light']")
const dark = tokens("\n[data-theme='dark']")
const themes = {
  light,
  dark,
  'light, safe palette': { ...light, ...tokens("\n[data-palette='safe']") },
  'dark, safe palette': { ...dark, ...tokens("[data-palette='safe'] [data-theme='dark']") },
}

type Rgb = [number, number, number]

describe.each(Object.entries(themes))('contrast: %s', (_theme, theme) => {
  const color = (name: string): Rgb => {
    const parsed = parseColor(theme[name] ?? '')
    if (!parsed) throw new Error(`colors.css has no color --${name}`)
    return parsed
  }
  const surfaces = ['surface-1', 'surface-2', 'surface-3'].map(color)
  /** The tinted backgrounds: a share of the tone over the card. */
  const soft = (tone: string): Rgb => {
    const share = Number.parseFloat(theme['soft'] ?? '') / 100
    const [red, green, blue] = color(tone)
    const [r, g, b] = color('surface-2')
    return [red * share + r * (1 - share), green * share + g * (1 - share), blue * share + b * (1 - share)]
  }

  it.each(['ink-1', 'ink-2', 'ink-3', 'accent', 'green', 'blue', 'amber', 'red', 'gray'])(
    '%s on every surface',
    (name) => {
      for (const surface of surfaces) expect(contrast(color(name), surface)).toBeGreaterThanOrEqual(4.5)
    },
  )

  it("a terminal's colors on its background, and as a background beneath black or white", () => {
    const names = ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'].flatMap((name) => [
      name,
      `bright-${name}`,
    ])
    for (const name of [...names, 'bright-black']) {
      expect(contrast(color(`ansi-${name}`), color('surface-2')), name).toBeGreaterThanOrEqual(4.5)
      const onIt = ['ansi-black', 'ansi-bright-white'].map((text) =>
        contrast(color(text), color(`ansi-${name}`)),
      )
      expect(Math.max(...onIt), name).toBeGreaterThanOrEqual(4.5)
    }
    expect(contrast(color('ansi-black'), color('ansi-white'))).toBeGreaterThanOrEqual(4.5)
  })

  it.each(['accent', 'green', 'blue', 'amber', 'red', 'gray'])('%s and text on its own tint', (tone) => {
    for (const name of [tone, 'ink-1', 'ink-2', 'ink-3']) {
      expect(contrast(color(name), soft(tone)), name).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('text on filled buttons', () => {
    expect(contrast(color('on-accent'), color('accent'))).toBeGreaterThanOrEqual(4.5)
    expect(contrast(color('on-danger'), color('danger'))).toBeGreaterThanOrEqual(4.5)
  })

  it('dots and the borders of boxes have a contrast of at least 3:1', () => {
    for (const name of ['green-dot', 'blue-dot', 'amber-dot', 'red-dot', 'gray-dot', 'line-3']) {
      expect(contrast(color(name), color('surface-2')), name).toBeGreaterThanOrEqual(3)
    }
  })
})
