import { courses } from '@flotilla/contract/courses/courses'
import type { CourseOutline } from '@flotilla/contract/courses/entity'
import { ArrowLeft, ArrowRight, Check } from 'lucide-react'
import { Suspense, lazy, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { call } from '../api/call'
import { useApiMutation, useApiQuery } from '../api/query'
import { Button } from '../ui/button/button'
import { Async } from '../ui/feedback/async'
import { Delayed, SkeletonText } from '../ui/feedback/skeleton'
import { Select } from '../ui/form/input'
import { CourseContext } from './course-context'

const ChapterParts = lazy(() => import('./chapter-parts'))

interface Props {
  courseId: string
  /** Types code into the reader's terminal. */
  run: ((code: string) => void) | null
  runBlockedReason: string | null
}

/** A course, chapter by chapter. It opens where the reader stopped. */
export function CourseReader({ courseId, ...running }: Props) {
  const outline = useApiQuery(courses.outline, { id: courseId })
  return (
    <Async data={outline} skeleton={<SkeletonText lines={12} />}>
      {(found) =>
        found.chapters.length === 0 ? (
          <p className="text-body text-ink-2">This course has no chapters yet.</p>
        ) : (
          <Reading outline={found} {...running} />
        )
      }
    </Async>
  )
}

function Reading({ outline, run, runBlockedReason }: { outline: CourseOutline } & Omit<Props, 'courseId'>) {
  const { id, chapters, files } = outline
  const [chosen, setChosen] = useState(() => resumeAt(chapters))
  const top = useRef<HTMLHeadingElement>(null)
  const at = Math.max(
    0,
    chapters.findIndex((one) => one.id === chosen),
  )
  const chapter = chapters[at]
  const mark = useApiMutation(courses.markChapter, { invalidates: [courses.outline] })
  const course = useMemo(() => ({ id, files, run, runBlockedReason }), [id, files, run, runBlockedReason])
  const chapterId = chapter?.id
  const recordOpened = useEffectEvent((opened: string) => {
    if (outline.trainingId !== null && chapter?.openedAt === null)
      mark.mutate({ id, chapter: opened, body: {} })
  })
  useEffect(() => {
    if (chapterId) recordOpened(chapterId)
  }, [chapterId])
  if (!chapter) return null
  const go = (to: number) => {
    setChosen(chapters[to]?.id ?? chosen)
    top.current?.focus()
    top.current?.scrollIntoView({ block: 'start' })
  }
  const isLast = at === chapters.length - 1
  const markDone = (done: boolean) => mark.mutate({ id, chapter: chapter.id, body: { done } })
  return (
    <CourseContext value={course}>
      <article className="flex min-w-0 flex-col gap-4">
        <Select aria-label="Chapter" value={chapter.id} onChange={({ target }) => go(target.selectedIndex)}>
          {chapters.map(({ id: one, title, doneAt }, number) => (
            <option key={one} value={one}>
              {number + 1}. {title}
              {doneAt === null ? '' : ' ✓'}
            </option>
          ))}
        </Select>
        <h2 ref={top} tabIndex={-1} className="text-title font-semibold outline-none">
          {chapter.title}
        </h2>
        <Chapter key={chapter.id} courseId={id} chapterId={chapter.id} />
        <footer className="flex flex-wrap items-center gap-2 border-t border-line-1 pt-4">
          <Button
            icon={ArrowLeft}
            disabledReason={at === 0 ? 'This is the first chapter' : null}
            onClick={() => go(at - 1)}
          >
            Previous
          </Button>
          {outline.trainingId !== null && chapter.doneAt !== null && (
            <Button variant="ghost" icon={Check} onClick={() => markDone(false)}>
              Done
            </Button>
          )}
          <span className="ml-auto text-label text-ink-3">
            {at + 1} of {chapters.length}
          </span>
          {isLast ? (
            outline.trainingId !== null &&
            chapter.doneAt === null && (
              <Button variant="primary" icon={Check} busy={mark.isPending} onClick={() => markDone(true)}>
                Finish
              </Button>
            )
          ) : (
            <Button
              variant="primary"
              icon={ArrowRight}
              onClick={() => {
                if (outline.trainingId !== null && chapter.doneAt === null) markDone(true)
                go(at + 1)
              }}
            >
              Next
            </Button>
          )}
        </footer>
      </article>
    </CourseContext>
  )
}

/** The first chapter that is not done, or the first one if all are. */
const resumeAt = (chapters: CourseOutline['chapters']): string =>
  (chapters.find(({ doneAt }) => doneAt === null) ?? chapters[0])?.id ?? ''

function Chapter({ courseId, chapterId }: { courseId: string; chapterId: string }) {
  const chapter = useApiQuery(courses.readChapter, { id: courseId, chapter: chapterId })
  return (
    <Async data={chapter} skeleton={<SkeletonText lines={12} />} isEmpty={() => false}>
      {(parts) => (
        <Suspense
          fallback={
            <Delayed>
              <SkeletonText lines={12} />
            </Delayed>
          }
        >
          <ChapterParts
            parts={parts}
            onAnswer={(quiz, answer) =>
              call(courses.answer, { id: courseId, chapter: chapterId, quiz, body: { answer } })
            }
          />
        </Suspense>
      )}
    </Async>
  )
}
