import { Check, Copy } from 'lucide-react'
import { IconButton } from '../button/button'
import { useCopy } from './use-copy'
import { cx } from './cx'

interface CopyTextProps {
  text: string
  /** What it is, such as 'cluster ID', for the button's label. */
  label: string
  /** What is shown instead of the text. */
  display?: string
  /** Wraps to as many lines as needed, for text that must be fully visible. */
  wrap?: boolean
}

/** An ID, a path or a command, with a copy button. */
export function CopyText({ text, label, display = text, wrap = false }: CopyTextProps) {
  const { ref, copied, copy } = useCopy<HTMLElement>(text)
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-0.5">
      <code
        ref={ref}
        className={cx(
          'text-label',
          display === text ? 'font-mono' : 'font-sans',
          wrap ? 'wrap-anywhere' : 'truncate',
        )}
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
