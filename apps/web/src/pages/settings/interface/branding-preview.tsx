import { GraduationCap, Server } from 'lucide-react'
import { BrandMark } from '../../../guest/brand'
import { accentStyle } from '../../../ui/status/accent'
import { buttonClass } from '../../../ui/button/button-style'
import { Glyph } from '../../../ui/status/icon'

interface Props {
  branding: { name: string; accent: string; accentDark: string; copyright: string }
  logo: string | null
  trainingMenuTitle: string
}

/** A preview of the values in both themes, whichever is active. */
export const BrandingPreview = (props: Props) => (
  <section aria-label="Preview" className="flex flex-col gap-3 self-start lg:sticky lg:top-4">
    <Sample theme="light" label="Preview, light theme" {...props} />
    <Sample theme="dark" label="Preview, dark theme" {...props} />
  </section>
)

function Sample({
  theme,
  label,
  branding,
  logo,
  trainingMenuTitle,
}: Props & { theme: 'light' | 'dark'; label: string }) {
  const brand = { light: branding.accent || undefined, dark: branding.accentDark || undefined }
  const defaults = { [`--brand-${theme}`]: 'initial', [`--brand-${theme}-on`]: 'initial' }
  return (
    <figure className="flex flex-col gap-1.5">
      <div
        data-theme={theme}
        style={{ ...defaults, ...accentStyle(brand, theme) }}
        className="flex min-h-48 overflow-hidden rounded-card border border-line-1 bg-surface-1 text-body text-ink-1"
      >
        <div className="flex w-2/5 shrink-0 flex-col gap-3 border-r border-line-1 bg-surface-2 p-3">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <BrandMark className="size-7 shrink-0" logo={logo} />
            <span className="line-clamp-2 min-w-24 flex-1 font-semibold wrap-anywhere">{branding.name}</span>
          </div>
          <div aria-hidden className="flex flex-col gap-1">
            <span className="flex items-center gap-2 rounded-control bg-accent-soft px-2 py-1">
              <Glyph icon={Server} /> Clusters
            </span>
            <span className="flex items-center gap-2 px-2 py-1 text-ink-2">
              <Glyph icon={GraduationCap} />
              <span className="truncate">{trainingMenuTitle}</span>
            </span>
          </div>
        </div>
        <div className="flex min-w-0 flex-1 flex-col justify-between gap-4 p-4">
          <div aria-hidden className="flex flex-wrap items-center gap-3">
            <span className={buttonClass({ variant: 'primary' })}>Primary action</span>
            <span className="text-accent underline">A link</span>
          </div>
          <p className="text-label text-ink-3 wrap-anywhere">© {branding.copyright}</p>
        </div>
      </div>
      <figcaption className="text-label text-ink-3">{label}</figcaption>
    </figure>
  )
}
