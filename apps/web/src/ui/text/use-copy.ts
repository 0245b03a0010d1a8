import { useEffect, useRef, useState } from 'react'

const COPIED_FOR_MS = 1500

/** Copies a text that is shown in the element with `ref`; `copied` is true for a moment afterward. */
export function useCopy<Shown extends HTMLElement>(text: string) {
  const [copied, setCopied] = useState(false)
  const ref = useRef<Shown>(null)

  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_FOR_MS)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async () => {
    // Without TLS, browsers offer no clipboard: the text is selected instead, so that the user can copy it.
    if (!isSecureContext) {
      if (ref.current) getSelection()?.selectAllChildren(ref.current)
      return
    }
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return { ref, copied, copy }
}
