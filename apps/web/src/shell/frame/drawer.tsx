import { SIDEBAR_WIDTH } from '@flotilla/contract/limits'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { useModal } from '../dialogs/use-modal'

/** The navigation on a phone: over the page, closed by Esc, by a tap outside and by navigating. */
export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const dialog = useModal(onClose)
  const router = useRouter()
  useEffect(() => router.subscribe('onBeforeNavigate', onClose), [router, onClose])

  return (
    <dialog
      ref={dialog}
      aria-label="Navigation"
      style={{ width: SIDEBAR_WIDTH }}
      className="dialog m-0 h-dvh max-h-none max-w-[85vw] animate-appear border-r border-line-1 bg-surface-2 text-ink-1 outline-none"
    >
      {children}
    </dialog>
  )
}
