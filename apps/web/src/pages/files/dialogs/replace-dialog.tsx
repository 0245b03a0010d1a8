import { visibleName } from '@flotilla/contract/visible-name'
import { Button } from '../../../ui/button/button'
import { Dialog } from '../../../ui/overlay/dialog'

interface Props {
  /** The names that already exist. */
  names: readonly string[]
  others: number
  onReplace: () => void
  onSkip: () => void
  onClose: () => void
}

/** Confirms, before an upload starts, that existing files are replaced. */
export function ReplaceDialog({ names, others, onReplace, onSkip, onClose }: Props) {
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      title={
        names.length === 1
          ? `${visibleName(names[0] ?? '')} already exists`
          : `${names.length} files already exist`
      }
      footer={
        <>
          <Button onClick={onClose} data-autofocus>
            Cancel
          </Button>
          {others > 0 && <Button onClick={onSkip}>{names.length === 1 ? 'Skip it' : 'Skip these'}</Button>}
          <Button variant="danger" onClick={onReplace}>
            Replace
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2 text-body text-ink-2">
        <p>Replacing overwrites the existing content. This cannot be undone.</p>
        {names.length > 1 && (
          <ul className="max-h-40 list-disc overflow-y-auto pl-4">
            {names.map((name) => (
              <li key={name} className="wrap-anywhere">
                {visibleName(name)}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  )
}
