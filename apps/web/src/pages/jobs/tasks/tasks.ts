import { parseTasks } from '@flotilla/contract/jobs/array'
import type { Submission, TaskGroup } from '@flotilla/contract/jobs/jobs'

export type Task = { number: number; state: Submission['state'] }

/** All tasks in numeric order. */
export const tasksOf = (groups: readonly TaskGroup[]): Task[] =>
  groups
    .flatMap(({ state, tasks }) => (parseTasks(tasks)?.numbers ?? []).map((number) => ({ number, state })))
    .toSorted((a, b) => a.number - b.number)

const isBad = ({ state }: Task) => state === 'failed' || state === 'timed_out' || state === 'lost'

/** The next failed task after a number, continuing from the beginning; undefined if there is none. */
export const nextFailed = (tasks: readonly Task[], after: number): Task | undefined =>
  tasks.find((task) => isBad(task) && task.number > after) ?? tasks.find(isBad)

/** The name of a task's output file, as configured in every resource manager. */
export const taskFile = (task: number): string => `output.txt-${task}`
export const isTaskFile = (file: string): boolean => /^output\.txt-\d+$/.test(file)
