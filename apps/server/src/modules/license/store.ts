import { Time } from '@flotilla/contract/lists'
import * as z from 'zod/mini'
import type { Queryable } from '../../db/database'

const Uploaded = z.nullable(
  z.object({ license: z.string(), publicKey: z.string(), by: z.string(), at: Time }),
)
export type Uploaded = z.infer<typeof Uploaded>

export const uploaded = async (db: Queryable): Promise<Uploaded> =>
  Uploaded.parse((await db.selectFrom('site_settings').select('license').executeTakeFirstOrThrow()).license)

export const setUploaded = (db: Queryable, license: Uploaded) =>
  db
    .updateTable('site_settings')
    .set({ license: license && JSON.stringify(license) })
    .execute()
