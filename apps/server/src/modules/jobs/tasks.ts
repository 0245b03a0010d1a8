import { formatTasks, parseTasks } from '@flotilla/contract/jobs/array'
import type { Submission, TaskGroup } from '@flotilla/contract/jobs/jobs'
import { endings } from '../../schedulers/outcome'
import type { QueuedJob } from '../../schedulers/scheduler'

type State = Submission['state']
/** The states of tasks are stored as one letter each, since an array may have twenty thousand tasks. */
const letters: Record<State, string> = {
  submitting: 's',
  queued: 'q',
  blocked: 'b',
  running: 'r',
  completed: 'c',
  failed: 'f',
  timed_out: 't',
  canceled: 'x',
  lost: 'l',
}
/** In display order. */
const states: State[] = [
  'failed',
  'timed_out',
  'lost',
  'running',
  'blocked',
  'queued',
  'submitting',
  'completed',
  'canceled',
]
const open = new Set([letters.submitting, letters.queued, letters.blocked, letters.running])

const numbersOf = (array: string): number[] => parseTasks(array)?.numbers ?? []

const stateOf = ({ state, ending = 'succeeded' }: QueuedJob): State =>
  state === 'completed' ? endings[ending] : state

/**
 * The states of an array's tasks after a poll of the queue. The queue forgets ended tasks, so their states are kept.
 * When the whole array has ended, a task without an ending gets that of the array, or `lost` if the array failed or
 * timed out.
 */
export function taskStates(
  { array, tasks }: { array: string | null; tasks: string | null },
  rows: QueuedJob[],
  ended: State | null,
): string | null {
  if (array === null) return null
  const numbers = numbersOf(array)
  const now = tasks === null ? numbers.map(() => letters.queued) : Array.from(tasks)
  const places = new Map(numbers.map((number, index) => [number, index]))
  // Each task is in one row, or in two while its state changes; further rows are ignored.
  let left = 2 * numbers.length
  for (const row of rows) {
    if (row.arrayTask === undefined) continue
    const reported = parseTasks(row.arrayTask)?.numbers
    left -= reported?.length ?? numbers.length
    if (left < 0) break
    const letter = letters[stateOf(row)]
    for (const number of reported ?? []) {
      const index = places.get(number)
      if (index !== undefined && (open.has(now[index] ?? '') || !open.has(letter))) now[index] = letter
    }
  }
  if (ended === null) return now.join('')
  const rest = letters[ended === 'failed' || ended === 'timed_out' ? 'lost' : ended]
  return now.map((letter) => (open.has(letter) ? rest : letter)).join('')
}

/** Groups the tasks by state. Before the first poll, all of them have the state of the submission. */
export function taskGroups(array: string, tasks: string | null, state: State): TaskGroup[] {
  if (array === '') return []
  const numbers = numbersOf(array)
  return states.flatMap((each) => {
    const own = numbers.filter(
      (_, index) => (tasks === null ? state : '') === each || tasks?.[index] === letters[each],
    )
    return own.length === 0 ? [] : [{ state: each, count: own.length, tasks: formatTasks(own) }]
  })
}
