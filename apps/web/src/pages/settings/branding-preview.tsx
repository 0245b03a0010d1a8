import { useConfig } from '../../api/config'
import { BrandMark } from '../../guest/brand'
import { buttonClass } from '../../ui/button-style'

/** How name, logo and accent look in each theme, whichever is active. */
export function BrandingPreview() {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Sample theme="light" label="Light" />
      <Sample theme="dark" label="Dark" />
    </div>
  )
}

function Sample({ theme, label }: { theme: 'light' | 'dark'; label: string }) {
  const { name } = useConfig().branding
  return (
    <figure className="flex flex-col gap-1.5">
      <div
        data-theme={theme}
        className="flex min-h-32 flex-col justify-between gap-4 rounded-card border border-line-1 bg-surface-1 p-4 text-ink-1"
      >
        <div className="flex items-center gap-3">
          <BrandMark />
          <span className="font-semibold">{name}</span>
        </div>
        <div aria-hidden className="flex items-center gap-3">
          <span className={buttonClass({ variant: 'primary' })}>Primary action</span>
          <span className="text-accent underline">A link</span>
          <span className="rounded-control bg-accent-soft px-2 py-1">Selected</span>
        </div>
      </div>
      <figcaption className="text-label text-ink-3">{label}</figcaption>
    </figure>
  )
}
