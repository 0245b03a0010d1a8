import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { PointerEvent } from 'react'
import { cx } from '../text/cx'
import { Glyph } from '../status/icon'
import { notices } from './notices-store'
import type { Notice, NoticeStore } from './notices-store'

const styles = {
  success: { icon: CircleCheck, color: 'text-green' },
  error: { icon: CircleAlert, color: 'text-red' },
  info: { icon: Info, color: 'text-blue' },
}

/**
 * Rendered once. The region is always present, because a live region that appears with its text is often not announced.
 */
export function Notices({ hideAfterMs, store = notices }: { hideAfterMs: number; store?: NoticeStore }) {
  const shown = useSyncExternalStore(store.subscribe, store.shown)
  const [held, setHeld] = useState(false)
  const region = useRef<HTMLDivElement>(null)
  const newest = shown.at(-1)?.id

  const hold = (event: PointerEvent) => {
    // A notice that appears under a resting pointer is not being read.
    if (event.movementX !== 0 || event.movementY !== 0) setHeld(true)
  }

  useLayoutEffect(() => {
    // Reopened to be on top of the top layer: otherwise, a dialog that was opened since would cover new notices.
    const element = region.current
    if (element?.matches(':popover-open')) element.hidePopover()
    element?.showPopover()
  }, [newest])

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the pointer only pauses the timers
    <div
      ref={region}
      popover="manual"
      role="region"
      aria-label="Notices"
      aria-live="polite"
      onPointerMove={hold}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="fixed inset-auto right-0 bottom-0 m-0 flex w-full max-w-100 flex-col gap-2 overflow-visible border-0 bg-transparent p-4 pointer-events-none"
    >
      {shown.map((notice) => (
        <Line
          key={notice.id}
          notice={notice}
          hideAfterMs={hideAfterMs}
          held={held}
          onDismiss={() => {
            setHeld(false)
            store.dismiss(notice.id)
          }}
        />
      ))}
    </div>
  )
}

interface LineProps {
  notice: Notice
  hideAfterMs: number
  held: boolean
  onDismiss: () => void
}

function Line({ notice, hideAfterMs, held, onDismiss }: LineProps) {
  const left = useRef(hideAfterMs)
  const dismiss = useEffectEvent(onDismiss)

  useEffect(() => {
    if (held || notice.stays) return
    const since = Date.now()
    const timer = setTimeout(() => dismiss(), left.current)
    return () => {
      clearTimeout(timer)
      left.current -= Date.now() - since
    }
  }, [held, notice.stays])

  const { icon, color } = styles[notice.tone]
  return (
    <div
      role={notice.tone === 'error' ? 'alert' : undefined}
      className="pointer-events-auto flex animate-rise items-start gap-2.5 rounded-card bg-surface-2 py-2.5 pr-1.5 pl-3 text-body text-ink-1 shadow-float"
    >
      <Glyph icon={icon} className={cx('mt-px', color)} />
      <p className="min-w-0 flex-1 wrap-break-word">
        {notice.text}
        {notice.link && (
          <a
            href={notice.link.to}
            onClick={(event) => {
              // With a modifier key, the browser opens it in a new tab or window.
              if (event.ctrlKey || event.metaKey || event.shiftKey) return
              event.preventDefault()
              notice.link?.go()
              onDismiss()
            }}
            className="ml-2 rounded-mark font-medium text-accent underline underline-offset-2"
          >
            {notice.link.label}
          </a>
        )}
      </p>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={onDismiss}
        className="-my-1 flex size-6.5 shrink-0 items-center justify-center rounded-mark text-ink-3 hover:bg-surface-3 hover:text-ink-1"
      >
        <Glyph icon={X} />
      </button>
    </div>
  )
}
