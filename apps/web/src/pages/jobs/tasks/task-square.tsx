import type { Submission } from '@flotilla/contract/jobs/jobs'
import { memo } from 'react'
import { cx } from '../../../ui/text/cx'
import type { Task } from './tasks'

/** A color and a sign for each state: the sign tells them apart without the color. */
const looks: Record<Submission['state'], { sign: string; className: string }> = {
  submitting: { sign: '…', className: 'border-line-2 text-ink-3' },
  queued: { sign: '', className: 'border-line-2 bg-surface-1 text-ink-3' },
  blocked: { sign: '‖', className: 'border-amber-dot bg-amber-soft text-amber' },
  running: { sign: '›', className: 'border-blue-dot bg-blue-soft text-blue' },
  completed: { sign: '✓', className: 'border-green-dot bg-green-soft text-green' },
  failed: { sign: '×', className: 'border-red-dot bg-red-soft text-red' },
  timed_out: { sign: '!', className: 'border-red-dot bg-red-soft text-red' },
  canceled: { sign: '–', className: 'border-gray-dot bg-gray-soft text-gray' },
  lost: { sign: '?', className: 'border-red-dot bg-surface-1 text-red' },
}

interface Props {
  task: Task
  label: string
  isChosen: boolean
}

/** Drawn up to a thousand times: the strip around it listens for all of them. */
export const TaskSquare = memo(function TaskSquare({ task, label, isChosen }: Props) {
  const { sign, className } = looks[task.state]
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
        className,
        isChosen && 'outline-2 outline-offset-1 outline-accent',
      )}
    >
      {sign}
    </div>
  )
})
