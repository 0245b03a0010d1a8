import { createHash } from 'node:crypto'
import { splitChapter } from '@flotilla/contract/courses/chapter'
import type {
  CourseOutline,
  CourseProgress,
  QuizResult,
  ReaderPart,
  ReaderQuiz,
} from '@flotilla/contract/courses/entity'
import { isRight, type Quiz } from '@flotilla/contract/courses/quiz'
import type { Database, Queryable } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import { notifyPeople, viewerOf } from '../sharing/sharing'
import * as progress from './progress/store'
import * as store from './store'

/** The workshop in which a user currently takes part, its course and its instructors. */
export type SeatOf = (
  db: Queryable,
  userId: string,
) => Promise<{
  trainingId: string
  registrationId: string
  courseId: string | null
  instructorIds: string[]
} | null>

type Options = {
  db: Database
  seatOf: SeatOf
  runsWorkshop(db: Queryable, me: Caller, trainingId: string): Promise<boolean>
  now: () => number
}

/** A quiz is identified by its question, so that it can move within its chapter. */
const quizId = ({ question }: Quiz): string =>
  createHash('sha256').update(question).digest('hex').slice(0, 16)

export type Reading = ReturnType<typeof makeReading>
/** Courses as workshop participants read them: right answers stay on the server until the participant has answered. */
export function makeReading({ db, seatOf, runsWorkshop, now }: Options) {
  /**
   * The course, if the user may read it: with access to the course itself, or as a workshop participant with a seat.
   */
  const find = async (on: Queryable, me: Caller, id: string) => {
    const taken = await seatOf(on, me.id)
    const seat =
      taken?.courseId === id
        ? {
            trainingId: taken.trainingId,
            registrationId: taken.registrationId,
            instructorIds: taken.instructorIds,
          }
        : null
    const course = seat ? await store.findAny(on, id) : await store.find(on, id, viewerOf(me))
    return { course: course ?? fail('not_found'), seat }
  }

  const outline = async (me: Caller, id: string): Promise<CourseOutline> => {
    const { course, seat } = await find(db.kysely, me, id)
    const marks = seat ? await progress.chaptersOf(db.kysely, seat) : []
    return {
      id,
      name: course.name,
      description: course.description,
      files: await store.files(db.kysely, id),
      chapters: (await store.chapters(db.kysely, id)).map(({ id: chapterId, title }) => {
        const mark = marks.find(({ chapter_id }) => chapter_id === chapterId)
        return {
          id: chapterId,
          title,
          openedAt: mark?.opened_at.getTime() ?? null,
          doneAt: mark?.done_at?.getTime() ?? null,
        }
      }),
      trainingId: seat?.trainingId ?? null,
    }
  }

  const chapterOf = async (on: Queryable, courseId: string, id: string) =>
    (await store.chapter(on, courseId, id)) ?? fail('not_found')

  return {
    outline,

    async chapter(me: Caller, id: string, chapterId: string): Promise<ReaderPart[]> {
      const { seat } = await find(db.kysely, me, id)
      const { markdown } = await chapterOf(db.kysely, id, chapterId)
      const answers = seat ? await progress.answersOf(db.kysely, seat, chapterId) : []
      return splitChapter(markdown).parts.map((part): ReaderPart => {
        if (part.kind === 'text') return part
        const given = answers.find(({ quiz }) => quiz === quizId(part.quiz))
        const result = given ? resultOf(part.quiz, given) : null
        return { kind: 'quiz', quiz: readerQuiz(part.quiz, result) }
      })
    },

    async file(me: Caller, id: string, name: string) {
      await find(db.kysely, me, id)
      const found = (await store.file(db.kysely, id, name)) ?? fail('not_found')
      return { name, content: new Uint8Array(found.bytes) }
    },

    async mark(
      me: Caller,
      id: string,
      chapterId: string,
      done: boolean | undefined,
      context: RequestContext,
    ): Promise<CourseOutline> {
      await context.transaction(async (tx) => {
        const { seat } = await find(tx, me, id)
        await chapterOf(tx, id, chapterId)
        // No progress is recorded for a reader outside a workshop.
        if (!seat) return
        await progress.mark(tx, seat, chapterId, new Date(now()), done)
        await notifyPeople(tx, 'courses', [...seat.instructorIds, me.id])
      })
      return outline(me, id)
    },

    /** The first answer counts. */
    async answer(
      me: Caller,
      id: string,
      chapterId: string,
      quizKey: string,
      answer: string[],
      context: RequestContext,
    ): Promise<QuizResult> {
      return context.transaction(async (tx) => {
        const { seat } = await find(tx, me, id)
        const { markdown } = await chapterOf(tx, id, chapterId)
        const quiz = splitChapter(markdown)
          .parts.flatMap((part) => (part.kind === 'quiz' ? [part.quiz] : []))
          .find((one) => quizId(one) === quizKey)
        if (!quiz) return fail('not_found', { message: 'This question has changed. Reload the chapter.' })
        requirePossible(quiz, answer)
        const given = { answer, correct: isRight(quiz, answer), answered_at: new Date(now()) }
        if (!seat) return resultOf(quiz, given)
        const first = await progress.addAnswer(tx, {
          training_id: seat.trainingId,
          registration_id: seat.registrationId,
          chapter_id: chapterId,
          quiz: quizKey,
          question: quiz.question,
          ...given,
        })
        if (!first) fail('wrong_state', { message: 'You have already answered this question' })
        await notifyPeople(tx, 'courses', [...seat.instructorIds, me.id])
        return resultOf(quiz, given)
      })
    },

    async progress(me: Caller, id: string, trainingId: string): Promise<CourseProgress[]> {
      if (!(await runsWorkshop(db.kysely, me, trainingId))) fail('not_found')
      const [chapters, answers] = await Promise.all([
        progress.chaptersIn(db.kysely, id, trainingId),
        progress.answersIn(db.kysely, id, trainingId),
      ])
      const ids = [...new Set([...chapters, ...answers].map(({ registration_id }) => registration_id))]
      if (ids.length === 0) return []
      return (await progress.people(db.kysely, ids)).map((person) => ({
        registrationId: person.id,
        name: person.full_name,
        email: person.email,
        chapters: chapters
          .filter(({ registration_id }) => registration_id === person.id)
          .map(({ chapter_id, opened_at, done_at }) => ({
            id: chapter_id,
            openedAt: opened_at.getTime(),
            doneAt: done_at?.getTime() ?? null,
          })),
        answers: answers
          .filter(({ registration_id }) => registration_id === person.id)
          .map(({ chapter_id, question, answer, correct, answered_at }) => ({
            chapterId: chapter_id,
            question,
            answer,
            correct,
            answeredAt: answered_at.getTime(),
          })),
      }))
    },
  }
}

const readerQuiz = (quiz: Quiz, result: QuizResult | null): ReaderQuiz => ({
  id: quizId(quiz),
  kind: quiz.kind,
  question: quiz.question,
  choices: quiz.choices,
  result,
})

const resultOf = (
  quiz: Quiz,
  { answer, correct, answered_at }: { answer: string[]; correct: boolean | null; answered_at: Date },
): QuizResult => ({
  answer,
  correct,
  right: quiz.right,
  explanation: quiz.explanation,
  answeredAt: answered_at.getTime(),
})

function requirePossible({ kind, choices }: Quiz, answer: string[]): void {
  const refuse = (message: string) => fail('bad_input', { fields: { answer: message }, message })
  if (kind !== 'many' && answer.length !== 1) refuse('Give one answer')
  if (choices.length === 0) return
  if (new Set(answer).size < answer.length) refuse('Choose each answer once')
  if (answer.some((choice) => !choices.includes(choice)))
    refuse('This question has changed. Reload the chapter.')
}
