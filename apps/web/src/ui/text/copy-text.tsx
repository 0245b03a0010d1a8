import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { IconButton } from '../button/button'
import { cx } from './cx'

interface CopyTextProps {
  text: string
  /** What it is, such as 'cluster ID', for the button's label. */
  label: string
  /** What is shown if the full text is too long. */
  display?: string
  /** Wraps to as many lines as needed, for text that must be fully visible. */
  wrap?: boolean
}

const COPIED_FOR_MS = 1500

/** An ID, a path or a command, with a copy button. */
export function CopyText({ text, label, display = text, wrap = false }: CopyTextProps) {
  const [copied, setCopied] = useState(false)
  const code = useRef<HTMLElement>(null)

  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_FOR_MS)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async () => {
    // Without TLS, browsers offer no clipboard: the text is selected instead, so that the user can copy it.
    if (!isSecureContext) {
      if (code.current) getSelection()?.selectAllChildren(code.current)
      return
    }
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-0.5">
      <code
        ref={code}
        className={cx('font-mono text-label', wrap ? 'wrap-anywhere' : 'truncate')}
        title={text}
      >
        {display}
      </code>
      <IconButton
        label={copied ? 'Copied' : `Copy ${label}`}
        icon={copied ? Check : Copy}
        onClick={() => void copy()}
        className="-my-1.5 size-7 text-ink-3"
      />
      <span role="status" className="sr-only">
        {copied ? 'Copied' : ''}
      </span>
    </span>
  )
}
