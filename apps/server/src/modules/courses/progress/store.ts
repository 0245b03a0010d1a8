import { sql, type Insertable } from 'kysely'
import type { CourseTables } from '../../../db/tables/courses'
import type { Queryable, Transaction } from '../../../db/database'

/** A participant in a workshop, whose progress is recorded. */
export type Seat = { trainingId: string; registrationId: string }

export const chaptersOf = (db: Queryable, { trainingId, registrationId }: Seat) =>
  db
    .selectFrom('course_progress')
    .select(['chapter_id', 'opened_at', 'done_at'])
    .where('training_id', '=', trainingId)
    .where('registration_id', '=', registrationId)
    .execute()

/** Keeps the time of the first mark; `done: false` removes the mark that the chapter is done. */
export const mark = (tx: Transaction, seat: Seat, chapterId: string, at: Date, done: boolean | undefined) =>
  tx
    .insertInto('course_progress')
    .values({
      training_id: seat.trainingId,
      registration_id: seat.registrationId,
      chapter_id: chapterId,
      opened_at: at,
      done_at: done ? at : null,
    })
    .onConflict((conflict) =>
      conflict.columns(['training_id', 'registration_id', 'chapter_id']).doUpdateSet((row) => ({
        done_at:
          done === undefined
            ? row.ref('course_progress.done_at')
            : done
              ? sql<Date>`coalesce(course_progress.done_at, excluded.done_at)`
              : null,
      })),
    )
    .execute()

export const answersOf = (db: Queryable, { trainingId, registrationId }: Seat, chapterId: string) =>
  db
    .selectFrom('course_answers')
    .select(['quiz', 'answer', 'correct', 'answered_at'])
    .where('training_id', '=', trainingId)
    .where('registration_id', '=', registrationId)
    .where('chapter_id', '=', chapterId)
    .execute()

/** Whether it was the first answer, which is the one that counts. */
export const addAnswer = async (
  tx: Transaction,
  row: Insertable<CourseTables['course_answers']>,
): Promise<boolean> =>
  (await tx
    .insertInto('course_answers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('quiz')
    .executeTakeFirst()) !== undefined

/** The chapters that everyone in a workshop has opened. */
export const chaptersIn = (db: Queryable, courseId: string, trainingId: string) =>
  db
    .selectFrom('course_progress')
    .innerJoin('course_chapters', 'course_chapters.id', 'course_progress.chapter_id')
    .select(['registration_id', 'chapter_id', 'opened_at', 'done_at'])
    .where('course_progress.training_id', '=', trainingId)
    .where('course_id', '=', courseId)
    .orderBy('position')
    .execute()

export const answersIn = (db: Queryable, courseId: string, trainingId: string) =>
  db
    .selectFrom('course_answers')
    .innerJoin('course_chapters', 'course_chapters.id', 'course_answers.chapter_id')
    .select(['registration_id', 'chapter_id', 'question', 'answer', 'correct', 'answered_at'])
    .where('course_answers.training_id', '=', trainingId)
    .where('course_id', '=', courseId)
    .orderBy('position')
    .orderBy('answered_at')
    .execute()

export const people = (db: Queryable, registrationIds: string[]) =>
  db
    .selectFrom('training_registrations')
    .select(['id', 'full_name', 'email'])
    .where('id', 'in', registrationIds)
    .orderBy('full_name')
    .orderBy('email')
    .execute()
