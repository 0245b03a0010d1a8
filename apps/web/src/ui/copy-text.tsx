import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { IconButton } from './button'
import { cx } from './cx'

interface CopyTextProps {
  text: string
  /** What it is: 'cluster id', for the button's name. */
  label: string
  /** What is shown when the whole would be too long. */
  display?: string
  /** All of it on as many lines as it takes, for what must be seen whole. */
  wrap?: boolean
}

const COPIED_FOR_MS = 1500

/** An id, a path or a command, with a button that copies it. */
export function CopyText({ text, label, display = text, wrap = false }: CopyTextProps) {
  const [copied, setCopied] = useState(false)
  const code = useRef<HTMLElement>(null)

  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), COPIED_FOR_MS)
    return () => clearTimeout(timer)
  }, [copied])

  const copy = async () => {
    // Without TLS browsers offer no clipboard: then the text is selected, ready for the person's own copy key.
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
