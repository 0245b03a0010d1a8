import { useId, useState } from 'react'
import { Button } from '../ui/button/button'
import { Dialog } from '../ui/overlay/dialog'

interface Props {
  /** The text that was last copied on either side. */
  text: string
  onSend: (text: string) => void
  onClose: () => void
}

/** The clipboard of the desktop, for browsers that do not let pages use their own. */
export function ClipboardDialog({ text, onSend, onClose }: Props) {
  const [edited, setEdited] = useState<string | null>(null)
  const id = useId()
  const value = edited ?? text
  return (
    <Dialog
      open
      title="Clipboard"
      description="What you copy on the desktop appears here. Send text to paste it there."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            variant="primary"
            onClick={() => {
              onSend(value)
              onClose()
            }}
          >
            Send to desktop
          </Button>
        </>
      }
    >
      <label htmlFor={id} className="sr-only">
        Clipboard text
      </label>
      <textarea
        id={id}
        data-autofocus
        rows={8}
        value={value}
        onChange={(event) => setEdited(event.target.value)}
        className="w-full rounded-control border border-line-2 bg-surface-1 p-2 font-mono text-body text-ink-1"
      />
    </Dialog>
  )
}
