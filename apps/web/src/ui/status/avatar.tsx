import { cx } from '../text/cx'

function initials(name: string): string {
  const words = name.trim().split(/[\s._-]+/)
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words
  return letters
    .map((word) => word?.charAt(0) ?? '')
    .join('')
    .toUpperCase()
}

/** A user's initials; the name itself is next to it. */
export function Avatar({ name, size = 'm' }: { name: string; size?: 's' | 'm' }) {
  return (
    <span
      aria-hidden
      className={cx(
        'inline-flex shrink-0 items-center justify-center rounded-full border border-line-2 bg-surface-3 font-medium text-ink-2',
        size === 'm' ? 'size-7 text-label' : 'size-5 text-[10px] leading-none',
      )}
    >
      {initials(name)}
    </span>
  )
}
