import type { Training } from '@flotilla/contract/trainings/entity'
import { Printer, X } from 'lucide-react'
import { useConfig } from '../../../api/config'
import { paths } from '../../../paths'
import { Button } from '../../../ui/button/button'
import { useJoinLink } from './join-link'
import { QrCode } from './qr-code'

const show = (dialog: HTMLDialogElement) => {
  dialog.showModal()
  // The focus must not be on Print, because the next key press would print.
  dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus()
  return () => dialog.close()
}

/** Instructions to join, large enough for the last row of the room, and printable. */
export function Projector({ training, onClose }: { training: Training; onClose: () => void }) {
  const link = useJoinLink(training)
  const { server } = useConfig()
  return (
    <dialog
      ref={show}
      aria-labelledby="projector-title"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      className="fixed inset-0 m-0 h-dvh max-h-none w-screen max-w-none overflow-auto bg-surface-2 p-6 text-ink-1"
    >
      <div className="flex min-h-full flex-col items-center justify-center gap-8 text-center">
        <h2 id="projector-title" className="text-[clamp(1.5rem,4vw,3rem)] leading-tight font-semibold">
          {training.name}
        </h2>
        <QrCode
          text={link}
          label="QR code for the join link"
          className="size-[min(40vh,70vw)] rounded-card"
        />
        <div>
          <p className="text-[clamp(1rem,2vw,1.75rem)] leading-snug text-ink-2">
            {server}
            {paths.trainingLogin()}
          </p>
          <p className="mt-2 font-mono text-[clamp(2.25rem,9vw,8rem)] leading-none font-semibold tracking-wide">
            {training.data.sessionCode}
          </p>
        </div>
        <div className="flex gap-2 print:hidden">
          <Button icon={Printer} onClick={() => window.print()}>
            Print
          </Button>
          <Button icon={X} onClick={onClose} data-autofocus="">
            Close
          </Button>
        </div>
      </div>
    </dialog>
  )
}
