import type { ServedConfig } from '@flotilla/contract/site/config'

/** Applies the site's name and colors. Most sites keep our colors, so the contrast check is loaded only when needed. */
export async function applyBranding({ branding: { name, accent, accentDark } }: ServedConfig): Promise<void> {
  document.title = name
  const { style } = document.documentElement
  for (const part of ['light', 'light-on', 'dark', 'dark-on']) style.removeProperty(`--brand-${part}`)
  if (!accent && !accentDark) return
  const { applyAccent } = await import('../../ui/status/accent')
  applyAccent({ light: accent ?? undefined, dark: accentDark ?? undefined })
}
