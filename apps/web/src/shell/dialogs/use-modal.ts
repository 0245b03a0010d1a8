import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'

/** Opens a <dialog> over the page while it is mounted; Esc and a click outside close it. */
export function useModal(onClose: () => void): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current
    if (!element) return
    const onPress = (event: MouseEvent) => {
      if (event.target === element) onClose()
    }
    // The event comes late: the dialog may have been reopened since.
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
    // Closing before the element is removed lets the browser restore the focus.
    return () => element?.close()
  }, [])
  return dialog
}
