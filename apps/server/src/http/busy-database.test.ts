import { api } from '@flotilla/contract/api'
import { DATABASE_BUSY } from '@flotilla/contract/errors'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { PASSWORD } from '../../test/support/app/app'
import { newDatabase } from '../../test/support/database/database'
import { statement } from '../../test/support/database/global-setup'
import { testServer } from '../../test/support/app/server'

it('reports that the database is too busy when it cancels a statement', async () => {
  const { url, drop } = await newDatabase()
  onTestFinished(drop)
  // Replaces the eight seconds after which the database cancels a statement.
  await statement(url, `alter database ${new URL(url).pathname.slice(1)} set lock_timeout = 50`)
  const server = await testServer({}, { databaseUrl: url })
  onTestFinished(() => server.stop())
  const token = await server.login('admin')

  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query('begin; lock table users')
  const refused = {
    status: 503,
    json: { statusCode: 503, code: 'database_unavailable', part: 'database', message: DATABASE_BUSY },
  }
  const body = { username: 'admin', password: PASSWORD }
  expect(await server.answer(api.users.list, {}, { token })).toMatchObject(refused)
  expect(await server.answer(api.auth.login, { body })).toMatchObject(refused)
  expect(server.log()).toContain('the database was too busy')
  await other.end()
  await server.must(api.users.list, {}, { token })
})
