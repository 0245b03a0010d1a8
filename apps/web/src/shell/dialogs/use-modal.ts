import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'

/** Opens a <dialog> over the page while it is mounted; Esc and a press beside it close it. */
export function useModal(onClose: () => void): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (!element) return
    const onPress = (event: MouseEvent) => {
      if (event.target === element) onClose()
    }
    // The event comes late: the dialog may have been opened again since.
    const onClosed = () => {
      if (!element.open) onClose()
    }
    if (!element.open) element.showModal()
    element.addEventListener('mousedown', onPress)
    element.addEventListener('close', onClosed)
    return () => {
      element.removeEventListener('mousedown', onPress)
      element.removeEventListener('close', onClosed)
    }
  }, [onClose])
  useEffect(() => {
    const element = dialog.current
    // Closing before the element leaves the page is what lets the browser give the focus back.
    return () => element?.close()
  }, [])
  return dialog
}
