import { Button } from '../ui/button/button'

export interface OlderRows {
  busy: boolean
  show: () => void
  /** Loads everything there is. */
  showAll: () => void
}

const number = new Intl.NumberFormat()

/** Offers to load older rows at the bottom of a list: filter and order apply only to loaded rows. */
export function ShowOlder({ older, loaded }: { older: OlderRows; loaded: number }) {
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-2 border-t border-line-1 bg-surface-1 px-3 py-1.5">
      <span role="status" className="text-body text-ink-2 tabular-nums">
        Showing the newest {number.format(loaded)}.
      </span>
      <Button busy={older.busy} onClick={older.show}>
        Show older
      </Button>
    </div>
  )
}
