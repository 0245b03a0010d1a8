import type { Training } from '@flotilla/contract/trainings/entity'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { Presentation, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation } from '../../../api/query'
import { useIsAdmin } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { Card } from '../../../ui/layout/card'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { CopyText } from '../../../ui/text/copy-text'
import { useJoinLink } from './join-link'
import { QrCode } from './qr-code'

/** The session code, a QR code and a link with which participants join. */
export function SessionCodeCard({ training, onProject }: { training: Training; onProject: () => void }) {
  const link = useJoinLink(training)
  const admin = useIsAdmin()
  const [renewing, setRenewing] = useState(false)
  const close = () => setRenewing(false)
  const renew = useApiMutation(trainings.renewSessionCode, {
    admin,
    success: 'New session code',
    invalidates: [trainings.view, trainings.list],
    onSuccess: close,
  })
  const { sessionCode } = training.data
  return (
    <Card
      title="Session code"
      footer={
        <>
          <Button
            icon={RefreshCw}
            variant="ghost"
            disabledReason={training.state === 'ended' ? 'This workshop has ended' : null}
            onClick={() => setRenewing(true)}
          >
            New code
          </Button>
          <Button icon={Presentation} onClick={onProject}>
            Show on projector
          </Button>
        </>
      }
    >
      <div className="flex items-center gap-4">
        <QrCode text={link} label="QR code for the join link" className="size-28 shrink-0 rounded-control" />
        <p className="font-mono text-[1.75rem] leading-9 font-semibold whitespace-nowrap">{sessionCode}</p>
      </div>
      <p className="mt-3 text-label text-ink-3">Participants join at</p>
      <p className="text-label text-ink-2">
        <CopyText text={link} label="join link" wrap />
      </p>
      {renewing && (
        <ConfirmDialog
          open
          onClose={close}
          title="Replace the session code?"
          confirmLabel="Replace code"
          onConfirm={() => renew.mutateAsync({ id: training.id }).catch(close)}
        >
          <p>
            The current code and its link stop working. People who are logged in stay logged in, but need the
            new code to log in again.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
