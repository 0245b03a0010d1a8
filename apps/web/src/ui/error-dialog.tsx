import { Button } from './button'
import { Dialog } from './dialog'

/** The one dialog in which every failed action that is not a form's ends. Heading and dots are the product's. */
export function ErrorDialog({ message, onClose }: { message: string | null; onClose: () => void }) {
  return (
    <Dialog
      open={message !== null}
      onClose={onClose}
      title="ERROR"
      size="s"
      footer={
        <Button onClick={onClose} data-autofocus="">
          Close
        </Button>
      }
    >
      <p className="text-form wrap-break-word whitespace-pre-wrap text-ink-2">{`${message}...`}</p>
    </Dialog>
  )
}
