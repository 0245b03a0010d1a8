import { Status } from '../../ui/status/status'

/** A miniature page, rendered with the theme's tokens. */
export function ThemePreview({ themes }: { themes: readonly ('light' | 'dark')[] }) {
  return (
    <span
      aria-hidden
      className="mt-1.5 flex h-20 w-44 max-w-full overflow-hidden rounded-control border border-line-1"
    >
      {themes.map((theme) => (
        <span key={theme} data-theme={theme} className="flex min-w-0 flex-1 bg-surface-1">
          <span className="flex w-5 shrink-0 flex-col gap-1 border-r border-line-1 bg-surface-2 p-1">
            <span className="h-1 rounded-full bg-accent" />
            <span className="h-1 rounded-full bg-line-2" />
            <span className="h-1 rounded-full bg-line-2" />
          </span>
          <span className="flex min-w-0 flex-1 flex-col gap-1.5 p-2">
            <span className="h-1.5 w-2/3 rounded-full bg-ink-1" />
            <span className="h-1 w-full rounded-full bg-line-2" />
            <span className="h-1 w-5/6 rounded-full bg-line-2" />
            <span className="mt-auto h-2 w-6 rounded-mark bg-accent" />
          </span>
        </span>
      ))}
    </span>
  )
}

/** A preview of the color-blind safe palette, whose status dots also differ in shape. */
export function SafePalettePreview() {
  return (
    <span data-palette="safe" className="mt-0.5 flex flex-wrap gap-x-4 gap-y-1 text-ink-2">
      <Status tone="green">available</Status>
      <Status tone="amber">degraded</Status>
      <Status tone="red">failed</Status>
      <Status tone="gray">stopped</Status>
    </span>
  )
}
