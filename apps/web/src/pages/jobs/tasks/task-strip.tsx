import { countText } from '@flotilla/contract/count-text'
import { jobs, type Submission } from '@flotilla/contract/jobs/jobs'
import { ChevronLeft, ChevronRight, SkipForward } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { useApiQuery } from '../../../api/query'
import { useSearchParam, useSetSearch } from '../../../paths'
import { stateLabel, stateTone } from '../../../submit/submission-state'
import { Button, IconButton } from '../../../ui/button/button'
import { Status } from '../../../ui/status/status'
import { TaskSquare } from './task-square'
import { nextFailed, tasksOf, type Task } from './tasks'

/** The number of tasks per page. More squares would be slow to render and hard to read. */
const PAGE = 1000

const textOf = ({ number, state }: Task) => `Task ${number}: ${stateLabel(state)}`

/** The tasks of an array in numeric order. The chosen task is in the URL, and its output is shown below. */
export function TaskStrip({ submission }: { submission: Submission }) {
  const groups = useApiQuery(jobs.tasks, { id: submission.id })
  const tasks = useMemo(() => tasksOf(groups.data ?? []), [groups.data])
  const setSearch = useSetSearch()
  const strip = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<Task | null>(null)
  const chosen = useChosenTask(submission)
  const at = Math.max(
    0,
    tasks.findIndex(({ number }) => number === chosen),
  )
  const current = tasks[at]
  if (!current) return null
  const first = Math.floor(at / PAGE) * PAGE
  const shown = tasks.slice(first, first + PAGE)
  const choose = (task: Task | undefined, focus = false) => {
    if (!task) return
    setSearch({ task: String(task.number), file: undefined })
    // The square may be on another page, which has to be rendered first, or below the edge of the strip.
    requestAnimationFrame(() => {
      const square = strip.current?.querySelector<HTMLElement>(`[data-task="${task.number}"]`)
      if (focus) square?.focus()
      square?.scrollIntoView({ block: 'nearest' })
    })
  }
  const steps: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: tasks.length - 1,
  }
  const onKey = (event: KeyboardEvent) => {
    const next = steps[event.key]
    if (next === undefined) return
    event.preventDefault()
    choose(tasks[Math.max(0, Math.min(tasks.length - 1, next))], true)
  }
  const taskAt = (event: { target: EventTarget }) => {
    const number = event.target instanceof HTMLElement ? event.target.dataset.task : undefined
    return number === undefined ? undefined : shown.find((task) => String(task.number) === number)
  }
  const failed = nextFailed(tasks, current.number)
  return (
    <section aria-label="Array tasks" className="flex flex-col gap-2 border-t border-line-1 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <ul aria-label="Tasks by state" className="flex flex-wrap gap-x-4 gap-y-1">
          {groups.data?.map(({ state, count }) => (
            <li key={state}>
              <Status tone={stateTone(state)}>{`${count} ${stateLabel(state).toLowerCase()}`}</Status>
            </li>
          ))}
        </ul>
        <span className="ml-auto text-label text-ink-2 tabular-nums">{textOf(pointed ?? current)}</span>
        <Button
          icon={SkipForward}
          disabledReason={failed ? null : 'No task failed'}
          onClick={() => choose(failed)}
        >
          Next failed
        </Button>
      </div>
      <div
        ref={strip}
        role="listbox"
        aria-label={countText(tasks.length, 'task')}
        aria-orientation="horizontal"
        tabIndex={-1}
        onKeyDown={onKey}
        onClick={(event) => choose(taskAt(event))}
        onPointerOver={(event: PointerEvent) => setPointed(taskAt(event) ?? null)}
        onPointerLeave={() => setPointed(null)}
        className="flex max-h-40 flex-wrap gap-0.5 overflow-y-auto p-0.5"
      >
        {shown.map((task) => (
          <TaskSquare key={task.number} task={task} label={textOf(task)} isChosen={task === current} />
        ))}
      </div>
      {tasks.length > PAGE && (
        <div className="flex items-center gap-2 text-label text-ink-2 tabular-nums">
          <IconButton
            label="Earlier tasks"
            icon={ChevronLeft}
            disabled={first === 0}
            onClick={() => choose(tasks[first - PAGE])}
          />
          {`Tasks ${shown[0]?.number} to ${shown.at(-1)?.number}`}
          <IconButton
            label="Later tasks"
            icon={ChevronRight}
            disabled={first + PAGE >= tasks.length}
            onClick={() => choose(tasks[first + PAGE])}
          />
        </div>
      )}
    </section>
  )
}

/** The task whose output is shown, which is the first task unless another was chosen. */
export function useChosenTask({ id, data }: Submission): number | null {
  const chosen = useSearchParam('task')
  const groups = useApiQuery(jobs.tasks, { id }, { enabled: data.array !== '' })
  if (data.array === '') return null
  const number = chosen === undefined ? Number.NaN : Number(chosen)
  if (Number.isInteger(number)) return number
  return tasksOf(groups.data ?? [])[0]?.number ?? null
}
