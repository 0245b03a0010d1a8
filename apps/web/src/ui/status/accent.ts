/*
 * The branding's accent. Whatever color an operator chooses must stay readable as text, ring and button on our
 * surfaces, so it is shifted toward black (light theme) or white (dark theme) until it has a contrast of 4.5:1.
 */

type Rgb = [number, number, number]

const MINIMUM = 4.5
/** The least favorable surface of each theme: the accent is also text on hovered and inset surfaces. */
const surface: Record<'light' | 'dark', Rgb> = { light: [239, 241, 243], dark: [27, 30, 34] }
const ink: Rgb = [10, 11, 13]
const paper: Rgb = [255, 255, 255]

export function parseColor(text: string): Rgb | null {
  const hex = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1]
  if (!hex) return null
  const six = hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex
  const channel = (at: number) => Number.parseInt(six.slice(at, at + 2), 16)
  return [channel(0), channel(2), channel(4)]
}

const linear = (value: number): number => {
  const share = value / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

const luminance = ([red, green, blue]: Rgb): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

export function contrast(one: Rgb, other: Rgb): number {
  const bright = Math.max(luminance(one), luminance(other))
  const dark = Math.min(luminance(one), luminance(other))
  return (bright + 0.05) / (dark + 0.05)
}

const mix = (color: Rgb, into: Rgb, share: number): Rgb => [
  Math.round(color[0] + (into[0] - color[0]) * share),
  Math.round(color[1] + (into[1] - color[1]) * share),
  Math.round(color[2] + (into[2] - color[2]) * share),
]

const css = (color: Rgb): string => `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`

/** The readable accent for a theme, and the text color on it; null if it is not a color. */
export function readableAccent(text: string, theme: 'light' | 'dark'): { accent: string; on: string } | null {
  const wanted = parseColor(text)
  if (!wanted) return null
  const toward = theme === 'light' ? ink : paper
  let accent = wanted
  for (let share = 0; share <= 1; share += 0.02) {
    accent = mix(wanted, toward, share)
    if (contrast(accent, surface[theme]) >= MINIMUM) break
  }
  const on = contrast(accent, paper) >= contrast(accent, ink) ? paper : ink
  return { accent: css(accent), on: css(on) }
}

/**
 * Applies the branding's accent. Both themes get their own variable, so a theme toggle needs no second call; set
 * through the CSSOM, which a strict style-src allows. An invalid color leaves the default in place.
 */
export function applyAccent(brand: Brand): void {
  const { style } = document.documentElement
  for (const theme of ['light', 'dark'] as const)
    for (const [name, value] of Object.entries(accentStyle(brand, theme))) style.setProperty(name, value)
}

type Brand = { light?: string | undefined; dark?: string | undefined }

/** The variables of one theme, for an element that has that theme. */
export function accentStyle(brand: Brand, theme: 'light' | 'dark'): Record<string, string> {
  const chosen = brand[theme] ?? brand.light
  const readable = chosen === undefined ? null : readableAccent(chosen, theme)
  return readable ? { [`--brand-${theme}`]: readable.accent, [`--brand-${theme}-on`]: readable.on } : {}
}
