import { cx } from '../../../../ui/text/cx'

/** What is in the columns of rows; every control has a label of its own. On a phone, the rows are stacked. */
export const RowHeads = ({ columns, labels }: { columns: string; labels: readonly string[] }) => (
  <div aria-hidden className="flex gap-2 text-label text-ink-3 max-sm:hidden">
    <div className={cx('grid min-w-0 flex-1 gap-2', columns)}>
      {labels.map((label) => (
        <span key={label}>{label}</span>
      ))}
    </div>
    {/* As wide as the button that removes a row. */}
    <span className="w-8" />
  </div>
)
