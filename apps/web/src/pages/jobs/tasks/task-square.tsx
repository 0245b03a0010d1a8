import type { Submission } from '@flotilla/contract/jobs/jobs'
import { memo } from 'react'
import { stateTone } from '../../../submit/submission-state'
import { toneBorder, toneSoft } from '../../../ui/status/tone'
import { cx } from '../../../ui/text/cx'
import type { Task } from './tasks'

/** A sign that distinguishes the states without color. */
const signs: Record<Submission['state'], string> = {
  submitting: '…',
  queued: '',
  blocked: '‖',
  running: '›',
  completed: '✓',
  failed: '×',
  timed_out: '!',
  canceled: '–',
  lost: '?',
}

interface Props {
  task: Task
  label: string
  isChosen: boolean
}

/** A task. It has no event listeners, because there may be a thousand; the strip around them listens for all. */
export const TaskSquare = memo(function TaskSquare({ task, label, isChosen }: Props) {
  const tone = stateTone(task.state)
  return (
    <div
      role="option"
      aria-selected={isChosen}
      aria-label={label}
      title={label}
      data-task={task.number}
      tabIndex={isChosen ? 0 : -1}
      className={cx(
        'flex size-4 shrink-0 cursor-pointer items-center justify-center rounded-[3px] border text-[11px] leading-none font-semibold select-none',
        toneBorder[tone],
        toneSoft[tone],
        isChosen && 'outline-2 outline-offset-1 outline-accent',
      )}
    >
      {signs[task.state]}
    </div>
  )
})
