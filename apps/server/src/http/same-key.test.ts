import { expect, it } from 'vitest'
import { requireSameKey } from '../db/maintenance/same-key'
import { databaseOfTest } from '../../test/support/database/database'

it('accepts the master key that belongs to the database and rejects any other', async () => {
  const db = await databaseOfTest()
  await requireSameKey(db, 'first')
  await requireSameKey(db, 'first')
  await expect(requireSameKey(db, 'second')).rejects.toThrow(/master key does not belong to this database/)
})
