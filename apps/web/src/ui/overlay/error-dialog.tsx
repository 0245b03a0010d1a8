import { firstMessages } from '@flotilla/contract/first-messages'
import { Button } from '../button/button'
import { PublicKey } from '../text/public-key'
import { Dialog } from './dialog'

interface ErrorDialogProps {
  message: string | null
  /** The key that the message asks the user to install. */
  publicKey?: string | undefined
  /** An action that resolves the error, if there is one. */
  offer?: { label: string; run: () => void } | undefined
  onClose: () => void
}

/** The dialog for every failed action outside a form. The heading and the dots are specified. */
export function ErrorDialog({ message, publicKey, offer, onClose }: ErrorDialogProps) {
  return (
    <Dialog
      open={message !== null}
      onClose={onClose}
      title={firstMessages.errorHeading}
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
      <p className="text-form wrap-break-word whitespace-pre-wrap text-ink-2">{`${message?.replace(/\.+$/, '')}...`}</p>
      {publicKey !== undefined && <PublicKey text={publicKey} />}
    </Dialog>
  )
}
