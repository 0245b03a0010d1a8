import { cx } from '../../ui/text/cx'

/** Shown while the whole page waits for something. index.html shows the same before any script runs. */
export function LoadingScreen({
  message = 'Loading',
  overlay = false,
}: {
  message?: string
  overlay?: boolean
}) {
  return (
    <div
      role="status"
      className={cx(
        'flex flex-col items-center justify-center gap-3 text-body text-ink-2',
        overlay ? 'fixed inset-0 z-40 bg-surface-1/85' : 'min-h-dvh',
      )}
    >
      <span className="h-1 w-32 overflow-hidden rounded-full bg-surface-3">
        <span className="block h-full w-1/3 animate-unknown rounded-full bg-accent" />
      </span>
      <span>{message}</span>
    </div>
  )
}
