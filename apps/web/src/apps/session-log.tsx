import { appSessions, type AppSession } from '@flotilla/contract/apps/sessions'
import { useLayoutEffect, useRef } from 'react'
import { useApiQuery } from '../api/query'
import { Async } from '../ui/feedback/async'
import { Dialog } from '../ui/overlay/dialog'

const EVERY_MS = 2000
/** Only the end of a long log is shown. */
const SHOWN = 200_000

/** The log of an app, updated as it grows. */
export function SessionLog({ session, onClose }: { session: AppSession; onClose: () => void }) {
  const size = useApiQuery(appSessions.log, { id: session.id }, { everyMs: EVERY_MS, staleTime: 0 })
  const from = Math.max(0, (size.data?.size ?? 0) - SHOWN)
  const log = useApiQuery(
    appSessions.log,
    { id: session.id, query: { from } },
    { everyMs: EVERY_MS, keepPrevious: true, staleTime: 0, enabled: from > 0 },
  )
  const box = useRef<HTMLPreElement>(null)
  const shown = from > 0 ? log : size
  const text = shown.data?.text
  useLayoutEffect(() => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }, [text])
  return (
    <Dialog open size="l" onClose={onClose} title={`${session.app.name} log`}>
      <Async data={shown}>
        {(piece) =>
          piece.text === '' ? (
            <p className="py-8 text-center text-body text-ink-2">Nothing has been written yet.</p>
          ) : (
            <pre
              ref={box}
              role="log"
              aria-label={`${session.app.name} log`}
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
              tabIndex={0}
              className="max-h-[60dvh] overflow-auto rounded-card border border-line-1 bg-surface-1 p-3 font-mono text-label whitespace-pre-wrap wrap-anywhere"
            >
              {piece.text}
            </pre>
          )
        }
      </Async>
    </Dialog>
  )
}
