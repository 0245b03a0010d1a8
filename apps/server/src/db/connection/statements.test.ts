import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { databaseOfTest } from '../../../test/support/database/database'
import { makeStatementNames, PLANNED_EACH_TIME } from './statements'

it('names a statement that recurs, and keeps its name', () => {
  const names = makeStatementNames()
  const given = Array.from({ length: 12 }, () => names.of('select 1'))
  expect(given[0]).toBeUndefined()
  expect(given[9]).toBe('0.0')
  expect(given[11]).toBe('0.0')
  expect(names.of('select 2')).toBeUndefined()
})

it('names none whose plan depends on its values', () => {
  const names = makeStatementNames()
  for (let i = 0; i < 12; i++) expect(names.of(`${PLANNED_EACH_TIME} select 1`)).toBeUndefined()
})

it('names no more than the database can keep', () => {
  const names = makeStatementNames()
  const named = Array.from({ length: 300 }, (_, statement) =>
    Array.from({ length: 10 }, () => names.of(`select ${statement}`)).at(-1),
  )
  expect(named.filter((name) => name !== undefined)).toHaveLength(200)
})

it('a table that changes meanwhile does not break what is named', async () => {
  const db = await databaseOfTest()
  await sql`create table things (n int)`.execute(db.kysely)
  await sql`insert into things values (7)`.execute(db.kysely)
  const read = async () => (await sql`select * from things where n = ${7}`.execute(db.kysely)).rows
  for (let i = 0; i < 12; i++) expect(await read()).toEqual([{ n: 7 }])
  await sql`alter table things add column m int default 1`.execute(db.kysely)
  for (let i = 0; i < 12; i++) expect(await read()).toEqual([{ n: 7, m: 1 }])
})
