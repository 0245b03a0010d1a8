import { sql, type Insertable, type Updateable } from 'kysely'
import * as z from 'zod/mini'
import { Receipt } from '@flotilla/contract/trainings/entity'
import { newestFirst, type Cursor } from '../../db/cursors'
import type { Queryable, Transaction } from '../../db/database'
import { logLines } from '../../db/logs'
import { shared } from '../../db/owned'
import type { TrainingMessageRow, TrainingRow } from '../../db/tables/trainings'
import { visibleTo, type Viewer } from '../../db/visible'

const { collaborators } = shared('trainings')
export const { addLines, logs } = logLines('training_logs')

const trainings = (db: Queryable) =>
  db
    .selectFrom('trainings')
    .innerJoin('users as owner', 'owner.id', 'trainings.owner_id')
    .leftJoin('clusters', 'clusters.id', 'trainings.cluster_id')
    .selectAll('trainings')
    .select(['owner.username as owner', 'clusters.provider as provider'])
    .select(
      sql<string>`coalesce(nullif(trim(owner.first_name || ' ' || owner.last_name), ''), owner.username)`.as(
        'instructor',
      ),
    )
    .select(collaborators.as('collaborators'))
    .select((row) => [
      row
        .selectFrom('training_registrations as r')
        .select(sql<number>`count(*)::int`.as('n'))
        .whereRef('r.training_id', '=', 'trainings.id')
        .as('registered'),
    ])
    .select([
      sql<number>`(select count(*)::int from training_seats s where s.training_id = trainings.id)`.as(
        'seats',
      ),
      sql<number>`(select count(s.registration_id)::int from training_seats s where s.training_id = trainings.id)`.as(
        'seats_taken',
      ),
      sql<number>`(select count(s.hand_raised_at)::int from training_seats s where s.training_id = trainings.id)`.as(
        'hands_raised',
      ),
    ])
type FoundRow = Awaited<ReturnType<ReturnType<typeof trainings>['executeTakeFirstOrThrow']>>
export type FoundTraining = Omit<FoundRow, 'receipt'> & { receipt: Receipt | null }
/** The only place where the JSON of a workshop is parsed. */
const parsed = async (query: { execute(): Promise<FoundRow[]> }): Promise<FoundTraining[]> =>
  (await query.execute()).map((row) => ({ ...row, receipt: z.nullable(Receipt).parse(row.receipt) }))

export const find = async (db: Queryable, id: string, viewer: Viewer) =>
  (await parsed(trainings(db).where('trainings.id', '=', id).where(visibleTo('trainings', viewer))))[0]

/** Finds a workshop for the system itself, regardless of who can see it. */
export const findAny = async (db: Queryable, id: string) =>
  (await parsed(trainings(db).where('trainings.id', '=', id)))[0]

/** The workshops with this course that have not ended. */
export const withCourse = (db: Queryable, courseId: string) =>
  parsed(
    trainings(db)
      .where('trainings.course_id', '=', courseId)
      .where('trainings.ended_at', 'is', null)
      .orderBy('trainings.name'),
  )

export const findByCode = async (db: Queryable, codeHash: string) =>
  (await parsed(trainings(db).where('trainings.code_hash', '=', codeHash)))[0]

export const list = (db: Queryable, viewer: Viewer, limit: number, after?: Cursor) =>
  parsed(
    trainings(db)
      .where(visibleTo('trainings', viewer))
      .$call(newestFirst('trainings', limit, after)),
  )

/** Serializes changes: the second of two concurrent actions sees what the first one changed. */
export const lock = (tx: Transaction, id: string) =>
  tx
    .selectFrom('trainings')
    .select(['preparation', 'end_time', 'ended_at'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
/** A shared lock: many logins hold it at once, and ending the workshop waits for them. */
export const hold = (tx: Transaction, id: string) =>
  tx
    .selectFrom('trainings')
    .select(['ended_at', 'end_time', 'seat_mode', 'cluster_id', 'session_code'])
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst()

export const insert = (tx: Transaction, row: Insertable<TrainingRow>) =>
  tx.insertInto('trainings').values(row).execute()
export const update = (tx: Queryable, id: string, values: Updateable<TrainingRow>) =>
  tx.updateTable('trainings').set(values).where('id', '=', id).execute()
export const remove = (tx: Transaction, id: string) =>
  tx.deleteFrom('trainings').where('id', '=', id).execute()

export const insertMessages = (tx: Transaction, rows: TrainingMessageRow[]) =>
  tx.insertInto('training_messages').values(rows).execute()
/** With an email address, only messages to this person or to everyone. */
export const messages = (db: Queryable, trainingId: string, limit: number, email?: string) =>
  db
    .selectFrom('training_messages')
    .selectAll()
    .where('training_id', '=', trainingId)
    .$if(email !== undefined, (query) =>
      query.where((either) => either.or([either('email', 'is', null), either('email', '=', email ?? '')])),
    )
    .orderBy('sent_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()

export const clearLogs = (tx: Transaction, id: string) =>
  tx.deleteFrom('training_logs').where('training_id', '=', id).execute()
