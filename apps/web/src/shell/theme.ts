import type { Appearance } from '@flotilla/contract/site/ui'
import { readStored, writeStored } from '../session/storage'
import { createStore } from '../store'

/** public/boot.js reads the first two names before the first paint. */
const THEME = 'theme'
const PALETTE = 'palette'
const TIMES = 'times'

export function storedAppearance(): Appearance {
  const theme = readStored(THEME)
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    palette: readStored(PALETTE) === 'safe' ? 'safe' : 'standard',
    times: readStored(TIMES) === 'absolute' ? 'absolute' : 'relative',
  }
}

/** Paper is white: a dark page would waste ink and be hard to read. */
const paper = matchMedia('print')
const system = matchMedia('(prefers-color-scheme: dark)')
export const appearance = createStore<Appearance>(storedAppearance())

export const isDark = ({ theme }: Appearance): boolean =>
  theme === 'system' ? system.matches : theme === 'dark'

function draw(): void {
  const { dataset } = document.documentElement
  const now = appearance.get()
  dataset.theme = isDark(now) && !paper.matches ? 'dark' : 'light'
  if (now.palette === 'safe') dataset.palette = 'safe'
  else delete dataset.palette
}

/** Applies the preferences now and at the next start. */
export function applyPreferences({ theme, palette, times }: Appearance): void {
  const now = appearance.get()
  if (now.theme !== theme || now.palette !== palette || now.times !== times)
    appearance.set({ theme, palette, times })
  writeStored(THEME, theme)
  writeStored(PALETTE, palette)
  writeStored(TIMES, times)
}

/** Follows the system while the user has not chosen, and forgets the choice at logout. */
export function followAppearance(): void {
  appearance.subscribe(draw)
  // Notifies everything that depends on the theme, such as charts.
  for (const media of [system, paper])
    media.addEventListener('change', () => appearance.set({ ...appearance.get() }))
  draw()
}
