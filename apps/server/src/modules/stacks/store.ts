import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import * as z from 'zod/mini'
import type { ProviderId } from '@flotilla/contract/site/config'
import { Stack, StackData, type StackFileField } from '@flotilla/contract/stacks/entity'
import { newestFirst, type Cursor } from '../../db/cursors'
import type { Queryable, Transaction } from '../../db/database'
import { logLines } from '../../db/logs'
import { shared } from '../../db/owned'
import type { StackRow, StackRunRow } from '../../db/tables/stacks'
import type { Tables } from '../../db/tables'
import { visibleTo, type Viewer } from '../../db/visible'

const { collaborators } = shared('stacks')

const stacks = (db: Queryable) =>
  db
    .selectFrom('stacks')
    .innerJoin('users as owner', 'owner.id', 'stacks.owner_id')
    .selectAll('stacks')
    .select('owner.username as owner')
    .select((row) => [
      collaborators.as('collaborators'),
      jsonArrayFrom(
        row
          .selectFrom('stack_files')
          .select(['field', 'name'])
          .select(sql<number>`octet_length(bytes)`.as('size'))
          .whereRef('stack_files.stack_id', '=', 'stacks.id')
          .orderBy('name'),
      ).as('files'),
      jsonArrayFrom(
        row
          .selectFrom('stack_images')
          .select(['stack_images.role', 'image_id', 'region', 'manager', 'plan', 'simulated'])
          .select(sql<number>`(extract(epoch from built_at) * 1000)::bigint`.as('builtAt'))
          .whereRef('stack_images.stack_id', '=', 'stacks.id')
          .where('current', '=', true)
          .orderBy('role'),
      ).as('images'),
      jsonArrayFrom(
        row
          .selectFrom('stack_runs')
          .select(['actor'])
          .select(sql<number>`(extract(epoch from began_at) * 1000)::bigint`.as('beganAt'))
          .whereRef('stack_runs.stack_id', '=', 'stacks.id')
          .where('ended_at', 'is', null),
      ).as('runs'),
      row
        .selectFrom('stack_runs')
        .select('cancel_asked')
        .whereRef('stack_runs.stack_id', '=', 'stacks.id')
        .orderBy('began_at', 'desc')
        .limit(1)
        .as('cancel_asked'),
      row
        .selectFrom('clusters')
        .select((of) => of.fn.countAll<number>().as('count'))
        .whereRef('clusters.stack_id', '=', 'stacks.id')
        .as('used_by'),
    ])
type FoundRow = Awaited<ReturnType<ReturnType<typeof stacks>['executeTakeFirstOrThrow']>>

/** The purchase plan of the marketplace image that an image is based on. */
const ImagePlan = z.nullable(z.object({ name: z.string(), product: z.string(), publisher: z.string() }))
/** The only place where the JSON of a stack is parsed. */
const parsed = async (query: { execute(): Promise<FoundRow[]> }) =>
  (await query.execute()).map((row) => ({
    ...row,
    data: StackData.parse(row.data),
    open: Stack.shape.open.parse(row.open),
    images: row.images.map((image) => ({ ...image, plan: ImagePlan.parse(image.plan) })),
  }))
export type FoundStack = Awaited<ReturnType<typeof parsed>>[number]

export const find = async (db: Queryable, id: string, viewer: Viewer) =>
  (await parsed(stacks(db).where('stacks.id', '=', id).where(visibleTo('stacks', viewer))))[0]

/** Finds a stack for the system itself, regardless of who can see it. */
export const findAny = async (db: Queryable, id: string) =>
  (await parsed(stacks(db).where('stacks.id', '=', id)))[0]

export const list = (db: Queryable, viewer: Viewer, limit: number, after?: Cursor) =>
  parsed(
    stacks(db)
      .where(visibleTo('stacks', viewer))
      .$call(newestFirst('stacks', limit, after)),
  )

export const withImages = (db: Queryable, viewer: Viewer, provider: ProviderId) =>
  parsed(
    stacks(db)
      .where(visibleTo('stacks', viewer))
      .where('stacks.provider', '=', provider)
      .where((row) =>
        row.exists(
          row
            .selectFrom('stack_images')
            .select('image_id')
            .whereRef('stack_images.stack_id', '=', 'stacks.id')
            .where('current', '=', true),
        ),
      )
      .orderBy('stacks.name'),
  )

export const insert = (tx: Transaction, row: Insertable<StackRow>) =>
  tx.insertInto('stacks').values(row).execute()

export const update = (tx: Queryable, id: string, values: Updateable<StackRow>) =>
  tx.updateTable('stacks').set(values).where('id', '=', id).execute()

/** Locks the row, so that the second of two concurrent actions sees the state that the first one set. */
export const lock = (tx: Transaction, id: string) =>
  tx
    .selectFrom('stacks')
    .select(['id', 'state', 'version'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const remove = (tx: Transaction, id: string) => tx.deleteFrom('stacks').where('id', '=', id).execute()

export const { addLine, addLines, logs } = logLines('stack_logs')

export const madeWith = (db: Queryable, credentialIds: string[]) =>
  db
    .selectFrom('stacks')
    .select(['id', 'name', 'credential_id as credentialId'])
    .where('credential_id', 'in', credentialIds)
    .orderBy('name')
    .execute()

export const clustersOf = (db: Queryable, id: string) =>
  db.selectFrom('clusters').select('name').where('stack_id', '=', id).orderBy('name').execute()

export const files = (db: Queryable, id: string) =>
  db
    .selectFrom('stack_files')
    .select(['field', 'name', 'bytes'])
    .where('stack_id', '=', id)
    .orderBy('field')
    .orderBy('name')
    .execute()

export const file = (db: Queryable, id: string, field: StackFileField, name: string) =>
  db
    .selectFrom('stack_files')
    .select('bytes')
    .where('stack_id', '=', id)
    .where('field', '=', field)
    .where('name', '=', name)
    .executeTakeFirst()

export const removeFile = (tx: Transaction, id: string, field: StackFileField, name: string) =>
  tx
    .deleteFrom('stack_files')
    .where('stack_id', '=', id)
    .where('field', '=', field)
    .where('name', '=', name)
    .execute()

export const putFile = (tx: Transaction, row: Insertable<Tables['stack_files']>) =>
  tx
    .insertInto('stack_files')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['stack_id', 'field', 'name']).doUpdateSet({ bytes: row.bytes }),
    )
    .execute()

export const filesSize = async (tx: Transaction, id: string): Promise<number> =>
  (
    await tx
      .selectFrom('stack_files')
      .select(sql<number>`coalesce(sum(octet_length(bytes)), 0)::bigint`.as('size'))
      .where('stack_id', '=', id)
      .executeTakeFirstOrThrow()
  ).size

export type Run = Selectable<StackRunRow>
export const updateRun = (tx: Queryable, id: string, values: Updateable<StackRunRow>) =>
  tx.updateTable('stack_runs').set(values).where('id', '=', id).execute()
/** The builds that wait for the user, and since when. */
export const openRuns = (db: Queryable) =>
  db
    .selectFrom('stack_runs')
    .innerJoin('stacks', 'stacks.id', 'stack_runs.stack_id')
    .select(['stack_runs.id', 'stack_id as subject_id', 'state_since'])
    .where('ended_at', 'is', null)
    .where('state', '=', 'customize')
    .execute()

/** Clears the log, which contains only the last build. */
export const clearLogs = (tx: Transaction, stackId: string, type: string) =>
  tx.deleteFrom('stack_logs').where('stack_id', '=', stackId).where('type', '=', type).execute()
/** Replaces the images of earlier builds. */
export async function setImages(
  tx: Transaction,
  stackId: string,
  images: Omit<Insertable<Tables['stack_images']>, 'stack_id' | 'current'>[],
): Promise<void> {
  await tx.updateTable('stack_images').set({ current: false }).where('stack_id', '=', stackId).execute()
  await tx
    .insertInto('stack_images')
    .values(images.map((image) => ({ ...image, stack_id: stackId, current: true })))
    .onConflict((conflict) =>
      conflict.columns(['stack_id', 'role', 'image_id', 'region']).doUpdateSet((row) => ({
        current: true,
        built_at: row.ref('excluded.built_at'),
        simulated: row.ref('excluded.simulated'),
      })),
    )
    .execute()
}
export const olderImages = (db: Queryable, stackId: string) =>
  db
    .selectFrom('stack_images')
    .select(['image_id', 'region'])
    .where('stack_id', '=', stackId)
    .where('current', '=', false)
    .execute()
