import { Button } from '../../ui/button/button'
import type { Icon } from '../../ui/status/icon'

export interface BulkAction {
  label: string
  onSelect: () => void
  icon?: Icon
  disabledReason?: string | null
}

/** Matching rows that are not loaded, when all loaded ones are selected. */
export interface RestOfRows {
  count: number
  busy: boolean
  select: () => void
}

const number = new Intl.NumberFormat()

/** At the bottom of the table, so that the rows do not move when it appears. */
export function BulkBar({
  count,
  actions,
  rest,
  onClear,
}: {
  count: number
  rest: RestOfRows | null
  actions: readonly BulkAction[]
  onClear: () => void
}) {
  return (
    <div
      role="group"
      aria-label="Selected rows"
      className="flex min-h-11 flex-wrap items-center gap-2 border-t border-line-1 bg-surface-1 px-3 py-1.5"
    >
      <span role="status" className="mr-2 font-medium tabular-nums">
        {rest ? `All ${number.format(count)} loaded rows selected` : `${number.format(count)} selected`}
      </span>
      {rest && (
        <Button variant="ghost" busy={rest.busy} onClick={rest.select}>
          Select all {number.format(rest.count)}
        </Button>
      )}
      {actions.map((action) => (
        <Button
          key={action.label}
          icon={action.icon}
          disabledReason={action.disabledReason}
          onClick={action.onSelect}
        >
          {action.label}
        </Button>
      ))}
      <Button variant="ghost" onClick={onClear} className="ml-auto">
        Clear selection
      </Button>
    </div>
  )
}
