import { sql, type Insertable, type Updateable } from 'kysely'
import * as z from 'zod/mini'
import { CredentialTest } from '@flotilla/contract/clouds/credentials'
import { newestFirst, type Cursor } from '../../db/cursors'
import type { Queryable, Transaction } from '../../db/database'
import { shared } from '../../db/owned'
import type { CredentialRow } from '../../db/tables/stacks'
import { viewerInRow, visibleTo, visibleToSql, type Viewer } from '../../db/visible'

const { collaborators } = shared('credentials')

const credentials = (db: Queryable) =>
  db
    .selectFrom('credentials')
    .innerJoin('users as owner', 'owner.id', 'credentials.owner_id')
    .selectAll('credentials')
    .select('owner.username as owner')
    .select(collaborators.as('collaborators'))
type FoundRow = Awaited<ReturnType<ReturnType<typeof credentials>['executeTakeFirstOrThrow']>>
export type FoundCredential = Omit<FoundRow, 'last_test'> & { last_test: CredentialTest | null }
/** The only place where the JSON of a credential is parsed. */
const parsed = async (query: { execute(): Promise<FoundRow[]> }): Promise<FoundCredential[]> =>
  (await query.execute()).map((row) => ({
    ...row,
    last_test: z.nullable(CredentialTest).parse(row.last_test),
  }))

export const find = async (db: Queryable, id: string, viewer: Viewer) =>
  (await parsed(credentials(db).where('credentials.id', '=', id).where(visibleTo('credentials', viewer))))[0]

/** For the system itself, which sees all credentials. */
export const findAny = async (db: Queryable, id: string) =>
  (await parsed(credentials(db).where('credentials.id', '=', id)))[0]

/** The name of the credential, and whether this user may deploy with it. */
export const usableBy = (db: Queryable, id: string, userId: string) =>
  db
    .selectFrom('credentials')
    .select([
      'name',
      sql<boolean>`exists (select from users u
        where u.id = ${userId} and ${visibleToSql('credentials', viewerInRow('u'))})`.as('usable'),
    ])
    .where('id', '=', id)
    .executeTakeFirst()

export const list = (db: Queryable, viewer: Viewer, limit: number, after?: Cursor) =>
  parsed(
    credentials(db)
      .where(visibleTo('credentials', viewer))
      .$call(newestFirst('credentials', limit, after)),
  )

export const insert = (tx: Transaction, row: Insertable<CredentialRow>) =>
  tx.insertInto('credentials').values(row).execute()

export const update = (tx: Transaction, id: string, values: Updateable<CredentialRow>) =>
  tx.updateTable('credentials').set(values).where('id', '=', id).execute()

/** Locks the row, so that concurrent changes build on each other. */
export const lock = (tx: Transaction, id: string) =>
  tx.selectFrom('credentials').select('sealed_data').where('id', '=', id).forUpdate().executeTakeFirst()

export const remove = (tx: Transaction, id: string) =>
  tx.deleteFrom('credentials').where('id', '=', id).execute()

/** Stores a test result, unless the values have changed since they were tested. */
export const keepTest = async (
  tx: Transaction,
  id: string,
  sealedData: string,
  test: CredentialTest,
): Promise<boolean> =>
  (await tx
    .updateTable('credentials')
    .set({ last_test: JSON.stringify(test) })
    .where('id', '=', id)
    .where('sealed_data', '=', sealedData)
    .returning('id')
    .executeTakeFirst()) !== undefined

/**
 * Returns whether it wrote the time, which is kept to the minute so that a busy credential is not updated constantly.
 */
export const noteUsed = async (tx: Transaction, id: string, at: Date, notBefore: Date): Promise<boolean> =>
  (await tx
    .updateTable('credentials')
    .set({ last_used_at: at })
    .where('id', '=', id)
    .where((either) =>
      either.or([either('last_used_at', 'is', null), either('last_used_at', '<', notBefore)]),
    )
    .returning('id')
    .executeTakeFirst()) !== undefined
