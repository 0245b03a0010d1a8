import type { CourseOutline, CourseProgress } from '@flotilla/contract/courses/entity'
import type { Column } from '../../../table/column'
import { numberColumn, textColumn, timeColumn } from '../../../table/columns'

export type ProgressRow = {
  registrationId: string
  name: string
  /** The last chapter that the participant opened. */
  chapter: string
  done: number
  right: number
  answered: number
  lastAt: number
}

export function progressRows(
  people: readonly CourseProgress[],
  chapters: CourseOutline['chapters'],
): ProgressRow[] {
  const titleOf = (id: string | undefined) => {
    const at = chapters.findIndex((chapter) => chapter.id === id)
    return at < 0 ? '' : `${at + 1}. ${chapters[at]?.title ?? ''}`
  }
  return people.map(({ registrationId, name, chapters: opened, answers }) => {
    const latest = opened.toSorted((one, other) => other.openedAt - one.openedAt)[0]
    return {
      registrationId,
      name,
      chapter: titleOf(latest?.id),
      done: opened.filter(({ doneAt }) => doneAt !== null).length,
      right: answers.filter(({ correct }) => correct === true).length,
      answered: answers.length,
      lastAt: Math.max(
        0,
        ...opened.map(({ openedAt, doneAt }) => doneAt ?? openedAt),
        ...answers.map(({ answeredAt }) => answeredAt),
      ),
    }
  })
}

export const progressColumns: readonly Column<ProgressRow>[] = [
  textColumn({
    id: 'name',
    header: 'Participant',
    value: ({ name }) => name,
    width: 180,
    least: 110,
    grow: true,
    priority: 1,
  }),
  textColumn({
    id: 'chapter',
    header: 'Current chapter',
    value: ({ chapter }) => chapter,
    width: 200,
    priority: 2,
  }),
  numberColumn({ id: 'done', header: 'Done', value: ({ done }) => done, width: 92, least: 72, priority: 1 }),
  numberColumn({
    id: 'answered',
    header: 'Answers',
    value: ({ answered }) => answered,
    width: 92,
    priority: 2,
  }),
  numberColumn({ id: 'right', header: 'Correct', value: ({ right }) => right, width: 92, priority: 1 }),
  timeColumn({ id: 'lastAt', header: 'Last active', value: ({ lastAt }) => lastAt, width: 128, priority: 3 }),
]
