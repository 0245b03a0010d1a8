import type { ServedConfig } from '@flotilla/contract/site/config'

/** The site's name and colors. Most sites keep our colors, so the contrast check is loaded only when needed. */
export async function applyBranding({ branding: { name, accent, accentDark } }: ServedConfig): Promise<void> {
  document.title = name
  if (!accent && !accentDark) return
  const { applyAccent } = await import('../../ui/accent')
  applyAccent({ light: accent ?? undefined, dark: accentDark ?? undefined })
}
