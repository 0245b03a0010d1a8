import { files } from '@flotilla/contract/jobs/files'
import { visibleName } from '@flotilla/contract/visible-name'
import { Folder } from 'lucide-react'
import { useState } from 'react'
import { toApiError } from '@flotilla/client/api-error'
import { useApiQuery } from '../../../api/query'
import { Async } from '../../../ui/feedback/async'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Dialog } from '../../../ui/overlay/dialog'
import { Glyph } from '../../../ui/status/icon'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { inOrder, joined, nameOf, opens, parentOf, stepsOf } from '../places'

interface Props {
  cluster: string
  root: string
  places: readonly string[]
  /** The full paths of the entries to move. */
  moved: readonly string[]
  /** Moves the entries. Errors are shown in the dialog. */
  onMove: (folder: string) => Promise<unknown>
  onClose: () => void
}

/** Lets the user choose the target folder by navigating to it. */
export function MoveDialog({ cluster, root, places, moved, onMove, onClose }: Props) {
  const from = parentOf(moved[0] ?? '')
  const [path, setPath] = useState(from)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const folder = useApiQuery(files.list, { cluster, query: { path } })
  const inside = moved.some((one) => path === one || path.startsWith(`${one}/`))
  const reason =
    path === from
      ? 'Already in this folder'
      : inside
        ? 'A folder cannot be moved into itself'
        : folder.data
          ? null
          : 'This folder has not been opened yet'
  const move = async () => {
    setBusy(true)
    try {
      await onMove(path)
    } catch (thrown) {
      setError(toApiError(thrown).message)
    } finally {
      setBusy(false)
    }
  }
  const open = (to: string) => {
    setPath(to)
    setError(null)
  }
  return (
    <Dialog
      open
      size="s"
      onClose={onClose}
      dismissable={!busy}
      title={
        moved.length === 1 ? `Move ${visibleName(nameOf(moved[0] ?? ''))}` : `Move ${moved.length} items`
      }
      footer={
        <>
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button variant="primary" busy={busy} disabledReason={reason} onClick={() => void move()}>
            Move here
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {error !== null && (
          <Callout tone="red" alert>
            {error}
          </Callout>
        )}
        <p className="flex flex-wrap items-center gap-x-1 text-body">
          {[{ name: root, path: '' }, ...stepsOf(path, places)].map((step, at) => (
            <span key={step.path}>
              {at > 0 && <span className="mr-1 text-ink-3">/</span>}
              <button
                type="button"
                onClick={() => open(step.path)}
                className="rounded-mark text-accent underline-offset-2 hover:underline"
              >
                {visibleName(step.name)}
              </button>
            </span>
          ))}
        </p>
        {places.length > 0 && (
          <p className="flex flex-wrap gap-x-3 text-label text-ink-3">
            Folders of the cluster:
            {places.map((place) => (
              <button
                key={place}
                type="button"
                onClick={() => open(place)}
                className="rounded-mark text-accent underline-offset-2 hover:underline"
              >
                {place}
              </button>
            ))}
          </p>
        )}
        <div className="h-64 overflow-y-auto rounded-control border border-line-1">
          <Async data={folder} skeleton={<SkeletonText lines={4} />}>
            {({ entries }) => {
              const inner = inOrder(entries).filter(
                (entry) => opens(entry) === 'folder' && !moved.includes(joined(path, entry.name)),
              )
              return inner.length === 0 ? (
                <p className="p-3 text-body text-ink-3">No folders here.</p>
              ) : (
                <ul aria-label="Folders" className="p-1">
                  {inner.map(({ name }) => (
                    <li key={name}>
                      <button
                        type="button"
                        onClick={() => open(joined(path, name))}
                        className="flex h-8 w-full items-center gap-2 rounded-control px-2 text-left hover:bg-surface-3"
                      >
                        <Glyph icon={Folder} className="text-accent" />
                        <span className="truncate">{visibleName(name)}</span>
                      </button>
                    </li>
                  ))}
                </ul>
              )
            }}
          </Async>
        </div>
      </div>
    </Dialog>
  )
}
