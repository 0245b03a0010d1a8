import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BrowserSocket } from '../../../test/support/console/browser-socket'
import { Console } from '../../../test/support/console/console'
import { makeStack } from '../../../test/support/console/stack'
import { until } from '../../../test/support/until'
import { soakIt } from '../../../test/support/soak'

let server: Console
let machine: string
beforeAll(async () => {
  server = await Console.start()
  machine = await server.thisMachine()
})
afterAll(() => server.stop())

const asAdmin = () => ({ token: server.admin })
let made = 0
/** A user with a running job, and a user who can take it over. */
const people = async () => {
  made += 1
  const [owner, heir] = [await server.person(`leaving${made}`), await server.person(`staying${made}`)]
  const id = await server.job({ script: 'sleep 300' }, owner.token)
  const body = { id, cluster: machine }
  const submission = await server.must(api.jobs.submit, { body }, { token: owner.token })
  const state = async () => (await server.must(api.jobs.submission, { id: submission.id }, asAdmin())).state
  await until(async () => (await state()) === 'running')
  return { owner, heir, submission, state }
}

describe('removing a user whose job is running', () => {
  it('reports what is running where and where their home is, to admins only', async () => {
    const { owner, heir, submission } = await people()
    expect(await server.must(api.users.running, { id: owner.id }, asAdmin())).toEqual({
      running: [
        { kind: 'job', id: submission.id, name: expect.any(String), cluster: submission.cluster.name },
      ],
      home: expect.stringContaining(`/${owner.username}-`),
    })
    expect(await server.must(api.users.running, { id: heir.id }, asAdmin())).toEqual({
      running: [],
      home: null,
    })
    expect((await server.refused(api.users.running, { id: owner.id }, { token: heir.token })).status).toBe(
      403,
    )
  })

  it('cancels the job if requested', async () => {
    const { owner, heir, state } = await people()
    const body = { id: owner.id, newOwner: heir.id, jobs: 'cancel' as const }
    await server.must(api.users.remove, { body }, asAdmin())
    expect(await until(async () => (await state()) === 'canceled')).toBe(true)
  })

  it('hands the running job over to the new owner, who can cancel it', async () => {
    const { owner, heir, submission, state } = await people()
    await server.must(
      api.users.remove,
      { body: { id: owner.id, newOwner: heir.id, jobs: 'handOver' } },
      asAdmin(),
    )
    expect(await state()).toBe('running')
    await server.must(
      api.jobs.cancel,
      { body: { job: submission.id, cluster: machine } },
      { token: heir.token },
    )
    expect(await until(async () => (await state()) === 'canceled')).toBe(true)
  })

  it('notifies the new owner at once of everything they own now, and of later changes', async () => {
    const owner = await server.person('founder', ['admin', 'user', 'instructor'])
    const heir = await server.person('follower', ['user', 'instructor'])
    const as = { token: owner.token }
    const head = { host: 'head.example.org', username: 'founder' }
    const data = { manager: 'slurm' as const, transport: 'ssh' as const, head }
    const cluster = await server.must(api.clusters.createLocal, { body: { name: 'Legacy', data } }, as)
    await server.job({ script: 'true' }, owner.token)
    await server.must(
      api.apps.create,
      { body: { name: 'Lab', script: 'exec lab --port "$PORT"', allowedRoles: ['user'] } },
      as,
    )
    await server.must(api.courses.create, { body: { name: 'Fortran' } }, as)
    await server.must(api.trainings.create, { body: { name: 'Summer school', data: {} } }, as)
    // Also creates the credential that the stack needs.
    await makeStack({ must: server.must.bind(server), admin: owner.token }, 'aws')

    const browser = await BrowserSocket.open(server.url, heir.token)
    const changes: string[] = []
    browser.socket.on('change', ({ changed }: { changed: string }) => void changes.push(changed))
    await server.must(api.users.remove, { body: { id: owner.id, newOwner: heir.id } }, asAdmin())
    const nouns = ['apps', 'clusters', 'courses', 'credentials', 'queuedjobs', 'stacks', 'trainings']
    await until(() => nouns.every((noun) => changes.includes(noun)))
    expect(changes.toSorted()).toEqual(nouns)

    changes.length = 0
    const body = { id: cluster.id, places: ['/scratch'] }
    await server.must(api.clusters.places, { body }, { ...asAdmin(), admin: true })
    expect(await until(() => changes.includes('clusters'))).toBe(true)
    browser.socket.close()
  })

  soakIt('does not hand anything over to an expired account', async () => {
    const { owner, heir } = await people()
    const change = { id: heir.id, endTime: Date.now() - 1000 }
    await server.must(api.users.update, { body: change }, { ...asAdmin(), admin: true })
    const refused = await server.refused(
      api.users.remove,
      { body: { id: owner.id, newOwner: heir.id } },
      { token: server.admin },
    )
    expect(refused).toMatchObject({ status: 400, fields: { newOwner: 'This account has expired' } })
  })
})
