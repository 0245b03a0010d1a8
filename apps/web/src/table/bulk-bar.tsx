import { Button } from '../ui/button'
import type { Icon } from '../ui/icon'

export interface BulkAction {
  label: string
  onSelect: () => void
  icon?: Icon
  disabledReason?: string | null
}

/** At the foot of the table, so that the rows stay where they are when it appears. */
export function BulkBar({
  count,
  actions,
  onClear,
}: {
  count: number
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
        {count} selected
      </span>
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
