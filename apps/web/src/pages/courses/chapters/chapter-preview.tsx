import { splitChapter } from '@flotilla/contract/courses/chapter'
import type { Course, ReaderPart } from '@flotilla/contract/courses/entity'
import { isRight, type Quiz } from '@flotilla/contract/courses/quiz'
import { Suspense, lazy, useMemo } from 'react'
import { CourseContext } from '../../../course/course-context'
import { Delayed, SkeletonText } from '../../../ui/feedback/skeleton'
import { RUN_IN_WORKSHOP } from '../run-in-workshop'

const ChapterParts = lazy(() => import('../../../course/chapter-parts'))

/** A chapter as participants see it. The author's quiz answers are checked in the browser and not stored. */
export function ChapterPreview({ course, markdown }: { course: Course; markdown: string }) {
  const { id, files } = course
  const reference = useMemo(() => ({ id, files, run: null, runBlockedReason: RUN_IN_WORKSHOP }), [id, files])
  const quizzes = new Map<string, Quiz>()
  const parts = splitChapter(markdown).parts.map((part): ReaderPart => {
    if (part.kind === 'text') return part
    const { kind, question, choices } = part.quiz
    // The key is the quiz's content, so a changed quiz starts over.
    const key = JSON.stringify(part.quiz)
    quizzes.set(key, part.quiz)
    return { kind: 'quiz', quiz: { id: key, kind, question, choices, result: null } }
  })
  return (
    <section
      aria-label="Preview"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keyboard too
      tabIndex={0}
      className="max-h-[max(24rem,calc(100dvh-22rem))] min-w-0 overflow-y-auto rounded-control border border-line-1 bg-surface-2 p-4"
    >
      <h2 className="sr-only">Preview</h2>
      <CourseContext value={reference}>
        <Suspense
          fallback={
            <Delayed>
              <SkeletonText lines={8} />
            </Delayed>
          }
        >
          <ChapterParts
            parts={parts}
            onAnswer={async (key, answer) => {
              const quiz = quizzes.get(key)
              return {
                answer,
                correct: quiz ? isRight(quiz, answer) : null,
                right: quiz?.right ?? [],
                explanation: quiz?.explanation ?? '',
                answeredAt: Date.now(),
              }
            }}
          />
        </Suspense>
      </CourseContext>
    </section>
  )
}
