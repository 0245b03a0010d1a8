import { api } from '@flotilla/contract/api'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from '../../../test/support/app/app'
import { Console, type Person } from '../../../test/support/console/console'
import { holdTransactions } from '../../../test/support/database/held-transactions'
import { soakIt } from '../../../test/support/soak'

let server: Console
let machine: string
let ada: Person
beforeAll(async () => {
  server = await Console.start()
  machine = await server.thisMachine()
  ada = await server.person('adalove')
})
afterAll(() => server.stop())

soakIt(
  'a job that is deleted and submitted concurrently is either deleted or submitted, never both',
  async () => {
    for (let round = 0; round < 15; round++) {
      const id = await server.job({ script: 'true' }, ada.token)
      const body = { id, cluster: machine }
      const [submitted, deleted] = await Promise.all([
        server.answer(api.jobs.submit, { body }, { token: ada.token }),
        server.answer(api.jobs.remove, { id }, { token: ada.token }),
      ])
      expect([submitted.status, deleted.status]).toEqual(submitted.status === 201 ? [201, 409] : [404, 200])
    }
  },
)

it('another user’s job only runs as admin if it is unchanged since the admin saw it', async () => {
  const id = await server.job({ script: 'echo harmless' }, ada.token)
  const read = () => server.must(api.jobs.view, { id }, { token: server.admin })
  const { updatedAt } = await read()
  const changed = { id, name: 'changed', data: { script: 'echo harmful' } }
  await server.must(api.jobs.update, { body: changed }, { token: ada.token })
  const submission = { id, cluster: machine, runAsAdmin: true }
  for (const seen of [undefined, updatedAt])
    expect(
      await server.refused(api.jobs.submit, { body: { ...submission, seen } }, { token: server.admin }),
    ).toMatchObject({ status: 409, message: expect.stringContaining('Review it') })
  const seen = (await read()).updatedAt
  await server.must(api.jobs.submit, { body: { ...submission, seen } }, { token: server.admin })
})

describe('a user who loses access while submitting', () => {
  const submissionsOf = (id: string) => server.must(api.jobs.submissions, { id }, { token: server.admin })

  it('submits nothing, even if they submitted the same job before', async () => {
    for (const earlier of [0, 1]) {
      const eve = await server.person(`evelyn${earlier}`)
      const body = { id: await server.job({ script: 'true' }, eve.token), cluster: machine }
      const as = { token: eve.token }
      if (earlier > 0) await server.ended((await server.must(api.jobs.submit, { body }, as)).id, eve.token)
      const held = await holdTransactions(server.databaseUrl)
      const loggedOut = server.must(api.users.logOutEverywhere, { id: eve.id }, { token: server.admin })
      await held.waiting(1)
      const late = server.refused(api.jobs.submit, { body }, as)
      await held.waiting(2)
      await held.release()
      await loggedOut
      expect(await late).toMatchObject({ status: 401, code: 'session_ended' })
      expect(await submissionsOf(body.id)).toHaveLength(earlier)
    }
  })

  it('runs nothing as admin if they are no longer an admin', async () => {
    const deputy = await server.person('deputy', ['admin', 'user'])
    const id = await server.job({ script: 'true' }, deputy.token)
    const held = await holdTransactions(server.databaseUrl)
    const demoted = server.must(
      api.users.update,
      { body: { id: deputy.id, role: ['user'] } },
      { token: server.admin, admin: true },
    )
    await held.waiting(1)
    const body = { id, cluster: machine, runAsAdmin: true }
    const late = server.refused(api.jobs.submit, { body }, { token: deputy.token })
    await held.waiting(2)
    await held.release()
    await demoted
    expect((await late).status).toBe(403)
    expect(await submissionsOf(id)).toEqual([])
  })
})

describe('the admin account of a cluster', () => {
  const submit = async (as: string, more = {}) => {
    const body = { id: await server.job({ script: 'id' }), cluster: machine, runAsAdmin: true, ...more }
    return server.answer(api.jobs.submit, { body }, { token: as })
  }

  it('cannot be used with an access token, whatever its scope', async () => {
    for (const scope of ['jobs', 'all'] as const) {
      const token = await server.must(
        api.accessTokens.create,
        { body: { name: `as admin ${scope}`, scope } },
        { token: server.admin },
      )
      expect(await submit(token.secret)).toMatchObject({ status: 403, json: { code: 'token_scope' } })
      expect((await submit(token.secret, { runAsAdmin: false })).status).toBe(201)
    }
  })

  it('requires a password entered within the last 15 minutes, and its use is recorded', async () => {
    const { token, username } = await server.person('operator1', ['admin', 'user'])
    await server.sql(
      `update sessions set confirmed_at = now() - interval '15 minutes'
      where user_id = (select id from users where username = $1)`,
      [username],
    )
    expect(await submit(token)).toMatchObject({ status: 403, json: { code: 'confirm_needed' } })
    expect((await submit(token, { runAsAdmin: false })).status).toBe(201)
    await server.must(api.auth.confirm, { body: { password: PASSWORD } }, { token })
    const { status, json } = await submit(token)
    expect(status).toBe(409)
    expect(json.message).toContain('Review it')
    const own = await server.job({ script: 'id' }, token)
    const done = await server.must(
      api.jobs.submit,
      { body: { id: own, cluster: machine, runAsAdmin: true } },
      { token },
    )
    const [line] = await server.must(api.activities.list, { query: { limit: 1 } }, { token: server.admin })
    expect(line).toMatchObject({
      actor: username,
      action: 'job submitted as admin',
      subject: 'job test',
      detail: `This machine, submission ${done.id}`,
    })
  })
})

describe('the same key', () => {
  it('submits once for repeated and concurrent requests, which return the same submission', async () => {
    const id = await server.job({ script: 'echo once >> "$HOME/count"' }, ada.token)
    const body = { id, cluster: machine, key: randomUUID() }
    const submit = () => server.must(api.jobs.submit, { body }, { token: ada.token })
    const all = await Promise.all([submit(), submit(), submit(), submit()])
    all.push(await submit())
    const [first] = new Set(all.map((one) => one.id))
    expect(new Set(all.map((one) => one.id)).size).toBe(1)
    await server.ended(first ?? '', ada.token)
    const listed = await server.must(api.jobs.submissions, { id }, { token: ada.token })
    expect(listed).toHaveLength(1)
    const counted = await server.must(
      api.files.readText,
      { cluster: machine, query: { path: 'count' } },
      { token: ada.token },
    )
    expect(counted.text).toBe('once\n')
  })

  it('is rejected for another job, and can be used independently by another user', async () => {
    const key = randomUUID()
    const [one, two] = await Promise.all([
      server.job({ script: 'true' }, ada.token),
      server.job({ script: 'true' }, ada.token),
    ])
    const submit = (id: string, as: string) =>
      server.must(api.jobs.submit, { body: { id, cluster: machine, key } }, { token: as })
    const first = await submit(one, ada.token)
    const again = { body: { id: two, cluster: machine, key } }
    expect(await server.refused(api.jobs.submit, again, { token: ada.token })).toMatchObject({
      status: 400,
      fields: { key: expect.any(String) },
    })
    const others = await submit(await server.job({ script: 'true' }), server.admin)
    expect(others.id).not.toBe(first.id)
  })
})
