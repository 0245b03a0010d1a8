import { sql, type Insertable, type Updateable } from 'kysely'
import { newestFirst, type Cursor } from '../../db/cursors'
import type { CourseRow, CourseTables } from '../../db/tables/courses'
import type { Queryable, Transaction } from '../../db/database'
import { shared } from '../../db/owned'
import { visibleTo, type Viewer } from '../../db/visible'

const { collaborators } = shared('courses')

const courses = (db: Queryable) =>
  db
    .selectFrom('courses')
    .innerJoin('users as owner', 'owner.id', 'courses.owner_id')
    .selectAll('courses')
    .select('owner.username as owner')
    .select((row) => [
      collaborators.as('collaborators'),
      row
        .selectFrom('course_chapters')
        .select((of) => of.fn.countAll<number>().as('count'))
        .whereRef('course_chapters.course_id', '=', 'courses.id')
        .as('chapter_count'),
    ])
export type FoundCourse = Awaited<ReturnType<ReturnType<typeof courses>['executeTakeFirstOrThrow']>>

export const find = (db: Queryable, id: string, viewer: Viewer) =>
  courses(db).where('courses.id', '=', id).where(visibleTo('courses', viewer)).executeTakeFirst()

/** For a user who may read the course through a workshop. */
export const findAny = (db: Queryable, id: string) =>
  courses(db).where('courses.id', '=', id).executeTakeFirst()

export const list = (db: Queryable, viewer: Viewer, limit: number, after?: Cursor) =>
  courses(db)
    .where(visibleTo('courses', viewer))
    .$call(newestFirst('courses', limit, after))
    .execute()

export const insert = (tx: Transaction, row: Insertable<CourseRow>) =>
  tx.insertInto('courses').values(row).execute()

export const update = (tx: Transaction, id: string, values: Updateable<CourseRow>) =>
  tx.updateTable('courses').set(values).where('id', '=', id).execute()

/** Locks the row, so that changes to a course are serialized. */
export const lock = (tx: Transaction, id: string) =>
  tx.selectFrom('courses').select('id').where('id', '=', id).forUpdate().executeTakeFirst()

export const remove = (tx: Transaction, id: string) => tx.deleteFrom('courses').where('id', '=', id).execute()

export const chapters = (db: Queryable, courseId: string) =>
  db
    .selectFrom('course_chapters')
    .selectAll()
    .where('course_id', '=', courseId)
    .orderBy('position')
    .orderBy('id')
    .execute()

export const chapter = (db: Queryable, courseId: string, id: string) =>
  db
    .selectFrom('course_chapters')
    .selectAll()
    .where('course_id', '=', courseId)
    .where('id', '=', id)
    .executeTakeFirst()

export const insertChapters = (tx: Transaction, rows: Insertable<CourseTables['course_chapters']>[]) =>
  tx.insertInto('course_chapters').values(rows).execute()

export const updateChapter = (
  tx: Transaction,
  id: string,
  values: Updateable<CourseTables['course_chapters']>,
) => tx.updateTable('course_chapters').set(values).where('id', '=', id).execute()

export const removeChapter = (tx: Transaction, id: string) =>
  tx.deleteFrom('course_chapters').where('id', '=', id).execute()

export const orderChapters = (tx: Transaction, courseId: string, ids: string[]) =>
  sql`update course_chapters c set position = o.position
      from unnest(${ids}::text[]) with ordinality as o (id, position)
      where c.id = o.id and c.course_id = ${courseId}`.execute(tx)

/** Without their content. */
export const files = (db: Queryable, courseId: string) =>
  db
    .selectFrom('course_files')
    .select(['name', 'picture'])
    .select(sql<number>`octet_length(bytes)`.as('size'))
    .where('course_id', '=', courseId)
    .orderBy('name')
    .execute()

export const fileContents = (db: Queryable, courseId: string) =>
  db
    .selectFrom('course_files')
    .select(['name', 'bytes'])
    .where('course_id', '=', courseId)
    .orderBy('name')
    .execute()

export const file = (db: Queryable, courseId: string, name: string) =>
  db
    .selectFrom('course_files')
    .select('bytes')
    .where('course_id', '=', courseId)
    .where('name', '=', name)
    .executeTakeFirst()

export const putFile = (tx: Transaction, row: Insertable<CourseTables['course_files']>) =>
  tx
    .insertInto('course_files')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['course_id', 'name']).doUpdateSet({ picture: row.picture ?? null, bytes: row.bytes }),
    )
    .execute()

export const removeFile = (tx: Transaction, courseId: string, name: string) =>
  tx
    .deleteFrom('course_files')
    .where('course_id', '=', courseId)
    .where('name', '=', name)
    .returning('name')
    .executeTakeFirst()
