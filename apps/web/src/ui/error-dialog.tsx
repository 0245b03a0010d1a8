import { Button } from './button'
import { Dialog } from './dialog'

interface ErrorDialogProps {
  message: string | null
  /** A way out, where there is one to press. */
  offer?: { label: string; run: () => void } | undefined
  onClose: () => void
}

/** The one dialog in which every failed action that is not a form's ends. Heading and dots are the product's. */
export function ErrorDialog({ message, offer, onClose }: ErrorDialogProps) {
  return (
    <Dialog
      open={message !== null}
      onClose={onClose}
      title="ERROR"
      size="s"
      footer={
        <>
          <Button onClick={onClose} data-autofocus="">
            Close
          </Button>
          {offer && (
            <Button
              variant="primary"
              onClick={() => {
                onClose()
                offer.run()
              }}
            >
              {offer.label}
            </Button>
          )}
        </>
      }
    >
      <p className="text-form wrap-break-word whitespace-pre-wrap text-ink-2">{`${message}...`}</p>
    </Dialog>
  )
}
