import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { databaseOfTest } from '../../../test/support/database/database'
import { makeStatementNames, PLANNED_EACH_TIME } from './statements'

it('a frequent statement gets a name and keeps it', () => {
  const names = makeStatementNames()
  const given = Array.from({ length: 12 }, () => names.of('select 1'))
  expect(given[0]).toBeUndefined()
  expect(given[9]).toBe('0.0')
  expect(given[11]).toBe('0.0')
  expect(names.of('select 2')).toBeUndefined()
})

it('a statement whose plan depends on its values gets no name', () => {
  const names = makeStatementNames()
  for (let i = 0; i < 12; i++) expect(names.of(`${PLANNED_EACH_TIME} select 1`)).toBeUndefined()
})

it('the number of named statements is limited', () => {
  const names = makeStatementNames()
  const named = Array.from({ length: 300 }, (_, statement) =>
    Array.from({ length: 10 }, () => names.of(`select ${statement}`)).at(-1),
  )
  expect(named.filter((name) => name !== undefined)).toHaveLength(200)
})

it('a named statement still works after its table has changed', async () => {
  const db = await databaseOfTest()
  await sql`create table things (n int)`.execute(db.kysely)
  await sql`insert into things values (7)`.execute(db.kysely)
  const read = async () => (await sql`select * from things where n = ${7}`.execute(db.kysely)).rows
  for (let i = 0; i < 12; i++) expect(await read()).toEqual([{ n: 7 }])
  await sql`alter table things add column m int default 1`.execute(db.kysely)
  for (let i = 0; i < 12; i++) expect(await read()).toEqual([{ n: 7, m: 1 }])
})
