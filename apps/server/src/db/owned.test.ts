import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { isParticipant, roles, type Role } from '@flotilla/contract/access'
import { testDatabase } from '../../test/support/database/database'
import { isParticipantSql } from './owned'

const db = await testDatabase()
afterAll(() => db.close())

it('SQL and the contract agree on who is a participant, for every combination of roles', async () => {
  const lists = Array.from({ length: 2 ** roles.length - 1 }, (_, at): Role[] =>
    roles.filter((_role, bit) => ((at + 1) >> bit) % 2 === 1),
  )
  for (const role of lists) {
    const query = sql<{ answer: boolean }>`select ${isParticipantSql(sql`${role}::text[]`)} as answer`
    const { rows } = await query.execute(db.kysely)
    expect(rows, role.join()).toEqual([{ answer: isParticipant({ role }) }])
  }
})
