import { files } from '@flotilla/contract/jobs/files'
import { useQueryClient } from '@tanstack/react-query'
import { visibleName } from '@flotilla/contract/visible-name'
import { CircleCheck, Pause, Play, RotateCw, X } from 'lucide-react'
import { useEffect } from 'react'
import { useStore } from '../../../store'
import { Button, IconButton } from '../../../ui/button/button'
import { Card } from '../../../ui/layout/card'
import { Glyph } from '../../../ui/status/icon'
import { ProgressBar } from '../../../ui/feedback/progress-bar'
import { sizeText } from '../../../ui/text/size-text'
import {
  forgetFinished,
  forgetUpload,
  isInProgress,
  pauseUpload,
  replaceAllExisting,
  replaceExisting,
  resumeUpload,
  uploadRate,
  uploads,
} from './uploads'
import { inShownOrder, leftText, totalsOf } from './totals'
import type { Upload } from './uploads'

/** The maximum number of uploads shown. Rendering the thousands of files of a folder would slow down the uploads. */
const SHOWN_MAX = 100

/** The uploads of this browser, with progress, speed and actions. */
export function UploadTray({ onChooseAgain }: { onChooseAgain: () => void }) {
  const all = useStore(uploads)
  const rate = useStore(uploadRate)
  const client = useQueryClient()
  const done = all.filter(({ state }) => state === 'done').length
  const busy = all.some(isInProgress)
  useEffect(() => {
    if (done > 0) void client.invalidateQueries({ queryKey: [files.list.path] })
  }, [client, done])
  useEffect(() => {
    if (!busy) return
    const confirmLeave = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', confirmLeave)
    return () => removeEventListener('beforeunload', confirmLeave)
  }, [busy])
  if (all.length === 0) return null
  const exist = all.filter(({ state }) => state === 'exists').length
  const { sent, size, secondsLeft } = totalsOf(all, rate)
  const summary = [
    `${done} of ${all.length} done`,
    `${sizeText(sent)} of ${sizeText(size)}`,
    ...(busy && rate > 0 ? [`${sizeText(rate)}/s`] : []),
    ...(busy && secondsLeft !== null ? [leftText(secondsLeft)] : []),
  ].join(' · ')
  const shown = inShownOrder(all).slice(0, SHOWN_MAX)
  const interrupted = all.filter(({ state }) => state === 'interrupted').length
  return (
    <Card
      flush
      className="mb-4"
      title={busy ? 'Uploading' : 'Uploads'}
      description={summary}
      actions={
        <>
          {interrupted > 0 && <Button onClick={onChooseAgain}>Choose files again</Button>}
          {exist > 1 && <Button onClick={replaceAllExisting}>Replace all {exist}</Button>}
          {done > 0 && (
            <Button variant="ghost" onClick={forgetFinished}>
              Clear finished
            </Button>
          )}
        </>
      }
    >
      <ul className="max-h-72 overflow-y-auto border-t border-line-1">
        {shown.map((upload) => (
          <li
            key={upload.id}
            className="flex items-center gap-2 border-b border-line-1 px-4 py-2 last:border-b-0"
          >
            <div className="min-w-0 flex-1">
              {upload.state === 'done' ? (
                <p className="flex items-center gap-2">
                  <Glyph icon={CircleCheck} className="text-green" />
                  <span className="truncate font-medium">{visibleName(upload.path)}</span>
                  <span className="whitespace-nowrap text-ink-3 tabular-nums">{sizeText(upload.size)}</span>
                </p>
              ) : (
                <ProgressBar
                  label={visibleName(upload.path)}
                  value={upload.size === 0 ? 0 : upload.sent / upload.size}
                  tone={
                    upload.state === 'failed' || upload.state === 'exists'
                      ? 'red'
                      : upload.state === 'sending'
                        ? 'blue'
                        : 'gray'
                  }
                  detail={detailOf(upload)}
                />
              )}
            </div>
            <Buttons upload={upload} />
          </li>
        ))}
        {all.length > shown.length && (
          <li className="px-4 py-2 text-label text-ink-3">and {all.length - shown.length} more</li>
        )}
      </ul>
    </Card>
  )
}

function detailOf({ state, sent, size, speed, problem }: Upload): string {
  const progressText = `${sizeText(sent)} of ${sizeText(size)}`
  switch (state) {
    case 'sending':
      return speed > 0
        ? `${progressText} · ${sizeText(speed)}/s · ${leftText((size - sent) / speed)}`
        : progressText
    case 'waiting':
      return 'Waiting'
    case 'offline':
      return `${progressText} · the server cannot be reached; resumes automatically`
    case 'paused':
      return `${progressText} · paused`
    case 'interrupted':
      return `${sizeText(size)} · interrupted when the page was closed; choose the same file again to resume`
    case 'exists':
      return 'A file with this name already exists'
    case 'failed':
      return problem ?? 'Failed'
    case 'done':
      return progressText
  }
}

function Buttons({ upload: { id, path: given, state } }: { upload: Upload }) {
  const path = visibleName(given)
  return (
    <div className="flex shrink-0 gap-1">
      {state === 'exists' && <Button onClick={() => replaceExisting(id)}>Replace</Button>}
      {(state === 'sending' || state === 'waiting' || state === 'offline') && (
        <IconButton label={`Pause ${path}`} icon={Pause} onClick={() => pauseUpload(id)} />
      )}
      {state === 'paused' && (
        <IconButton label={`Resume ${path}`} icon={Play} onClick={() => resumeUpload(id)} />
      )}
      {state === 'failed' && (
        <IconButton label={`Try ${path} again`} icon={RotateCw} onClick={() => resumeUpload(id)} />
      )}
      <IconButton
        label={state === 'done' ? `Remove ${path} from the list` : `Cancel ${path}`}
        icon={X}
        onClick={() => forgetUpload(id)}
      />
    </div>
  )
}
