import { cx } from '../text/cx'

/** Tabs and link tabs look the same; the selected one differs in weight and line, not only in color. */
export const tabListClass =
  'flex gap-1 overflow-x-auto border-b border-line-1 [scrollbar-width:none] print:hidden'

export const tabClass = (selected: boolean): string =>
  cx(
    '-mb-px inline-flex h-9 shrink-0 items-center gap-1.5 border-b-2 px-2.5 text-body font-medium whitespace-nowrap transition-colors focus-visible:-outline-offset-2',
    selected ? 'border-accent text-ink-1' : 'border-transparent text-ink-2 hover:text-ink-1',
  )

export const tabCountClass = 'rounded-mark bg-surface-3 px-1 text-label font-normal text-ink-2 tabular-nums'
