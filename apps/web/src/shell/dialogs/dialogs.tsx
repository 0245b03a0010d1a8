import { messages } from '@flotilla/contract/messages'
import { useConfig } from '../../api/config'
import { thankYou } from '../../session/store'
import { Button } from '../../ui/button/button'
import { buttonClass } from '../../ui/button/button-style'
import { Dialog } from '../../ui/overlay/dialog'
import { ErrorDialog } from '../../ui/overlay/error-dialog'
import { shownError } from '../../api/errors'
import type { ShownError } from '../../api/errors'

export default function Dialogs({ error, thanks }: { error: ShownError | null; thanks: boolean }) {
  return (
    <>
      <ErrorDialog
        message={error?.message ?? null}
        publicKey={error?.publicKey}
        offer={error?.offer}
        onClose={() => shownError.set(null)}
      />
      <ThankYouDialog open={thanks} onClose={() => thankYou.set(false)} />
    </>
  )
}

function ThankYouDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { name, contactLink } = useConfig().branding
  return (
    <Dialog
      open={open}
      onClose={onClose}
      size="s"
      title="Thank you"
      footer={
        <>
          <a
            href={contactLink}
            target="_blank"
            rel="noreferrer"
            className={buttonClass({ variant: 'secondary' })}
          >
            Contact Us
          </a>
          <Button variant="primary" onClick={onClose} data-autofocus="">
            {messages.close}
          </Button>
        </>
      }
    >
      <p className="text-form text-ink-2">
        Your session has ended. Thank you for trying {name}. Contact us if you would like to continue.
      </p>
    </Dialog>
  )
}
