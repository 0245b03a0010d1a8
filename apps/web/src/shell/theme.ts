import type { Preferences } from '@flotilla/contract/settings'
import { readStored, writeStored } from '../session/storage'
import { createStore } from '../store'

type Look = Pick<Preferences, 'theme' | 'palette'>

/** public/boot.js reads the same two names before the first paint. */
const THEME = 'theme'
const PALETTE = 'palette'

export function storedLook(): Look {
  const theme = readStored(THEME)
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    palette: readStored(PALETTE) === 'safe' ? 'safe' : 'standard',
  }
}

const system = matchMedia('(prefers-color-scheme: dark)')
export const look = createStore<Look>(storedLook())

export const isDark = ({ theme }: Look): boolean => (theme === 'system' ? system.matches : theme === 'dark')

function draw(): void {
  const { dataset } = document.documentElement
  const now = look.get()
  dataset.theme = isDark(now) ? 'dark' : 'light'
  if (now.palette === 'safe') dataset.palette = 'safe'
  else delete dataset.palette
}

/** Now, and at the next start. */
export function applyPreferences({ theme, palette }: Look): void {
  const now = look.get()
  if (now.theme !== theme || now.palette !== palette) look.set({ theme, palette })
  writeStored(THEME, theme)
  writeStored(PALETTE, palette)
}

/** Follows the system while nobody chose, and forgets a person's choice with the person. */
export function followLook(): void {
  look.subscribe(draw)
  // Whoever shows or draws with the theme hears of it too.
  system.addEventListener('change', () => look.set({ ...look.get() }))
  draw()
}
