import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { torque } from '../../../schedulers/torque'
import { exec } from '../../../../test/support/exec'
import { installTorque } from '../../../../test/support/schedulers/torque/install'
import type { ClusterConnection } from '../commands/connection'
import type { StoredCluster } from '../stored-cluster'
import { makeQueueReader } from './read-queue'

it('queries people’s own accounts only where the login account does not see their jobs', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-read-queue-'))
  const site = await installTorque(folder, 'tqlogin')
  const connectionOf = async (account: string) => {
    const { bin } = await installTorque(folder, account)
    const transport = { exec: (argv: string[], { stdin = '' }) => exec(argv, { env: { PATH: bin }, stdin }) }
    return { transport, scheduler: torque, account, home: folder } as unknown as ClusterConnection
  }
  const request = { name: 'job', nodes: 2, cores: 4, gpus: 0, walltime: '01:00:00', script: 'true' }
  for (const account of ['ada', 'bob']) {
    const { argv, stdin } = torque.submit(
      { ...request, workdir: folder, stdoutPath: `${folder}/out` },
      account,
    )
    await (await connectionOf(account)).transport.exec(argv, { timeoutMs: 1, ...(stdin && { stdin }) })
  }
  const queried: string[] = []
  const locked = new Set<string>()
  const busy = new Set(['ada', 'bob'])
  let clock = Date.now()
  const read = makeQueueReader({
    people: async () =>
      ['ada', 'bob'].map((username) => ({ id: username, username, busy: busy.has(username) })),
    asPerson(_cluster, { username }) {
      queried.push(username)
      return locked.has(username) ? Promise.reject(new Error('locked')) : connectionOf(username)
    },
    now: () => clock,
  })
  const cluster = { id: 'c', hidden_jobs: null } as StoredCluster
  const login = await connectionOf('tqlogin')
  const users = async () => (await read(cluster, login)).jobs.map(({ user }) => user).toSorted()
  expect(await users()).toEqual(['ada', 'bob'])
  locked.add('ada')
  expect(await users(), 'the last known jobs are kept').toEqual(['ada', 'bob'])

  queried.length = 0
  await users()
  expect(queried, 'an account that refused is not queried for a while').toEqual(['bob'])
  clock += 16_000
  await users()
  clock += 16_000
  queried.length = 0
  await users()
  expect(queried, 'and for longer after the second refusal').toEqual(['bob'])
  busy.clear()
  queried.length = 0
  await users()
  expect(queried, 'people with nothing in progress are queried less often').toEqual([])
  clock += 16_000
  await users()
  expect(queried).toEqual(['ada', 'bob'])

  clock += 2 * 60_000
  const { transport } = login
  const busyServer = (argv: string[], options: Parameters<typeof transport.exec>[1]) =>
    argv.join(' ').includes('-B')
      ? Promise.resolve({ code: 1, stdout: '', stderr: 'qstat: Server busy' })
      : transport.exec(argv, options)
  const unanswered = await read(cluster, { ...login, transport: { ...transport, exec: busyServer as never } })
  expect(unanswered.hidden, 'without an answer, the last one holds').not.toBeNull()

  site.setSite({ queryOtherJobs: true })
  clock += 2 * 60_000
  queried.length = 0
  expect(await users()).toEqual(['ada', 'bob'])
  expect(queried, 'the login account sees everyone').toEqual([])
  await rm(folder, { recursive: true, force: true })
})

/** A site that hides jobs, and the jobs that each account's programs report. */
function hostileSite() {
  const cluster = { id: 'c', hidden_jobs: 'hidden' } as StoredCluster
  const reports: Record<string, string[]> = { login: [], ada: ['1 ada'], mallory: ['2 mallory'] }
  const slow = new Map<string, Promise<void>>()
  let busy = false
  const jobsOf = (account: string) =>
    (reports[account] ?? []).map((job) => ({ id: job.split(' ')[0], user: job.split(' ')[1] }))
  const connectionOf = (account: string) =>
    ({
      account,
      transport: {
        async exec() {
          await slow.get(account)
          return { code: 0, stdout: '', stderr: '' }
        },
      },
      scheduler: {
        queue: () => ({ argv: [], parse: () => jobsOf(account) }),
        hiddenJobs: () => ({
          argv: [],
          parse() {
            if (busy) throw new Error('Server busy')
            return 'hidden'
          },
        }),
      },
    }) as unknown as ClusterConnection
  const makeRead = (people = ['ada', 'mallory']) => {
    const read = makeQueueReader({
      people: async () => people.map((username) => ({ id: username, username, busy: true })),
      asPerson: async (_cluster, { username }) => connectionOf(username),
      now: Date.now,
      timeoutMs: 20,
    })
    return async () => {
      const { jobs, hidden } = await read(cluster, connectionOf('login'))
      return { jobs: jobs.map(({ id, user }) => `${id} ${user}`).toSorted(), hidden }
    }
  }
  return { reports, slow, makeRead, setBusy: (value: boolean) => (busy = value) }
}

it('ignores what a person’s account reports about the jobs of others', async () => {
  const { reports, makeRead } = hostileSite()
  reports.mallory = ['1 ada', '2 mallory', '3 root']
  reports.ada = []
  expect((await makeRead()()).jobs).toEqual(['2 mallory'])
})

it('leaves out invalid job ids, and limits the number of jobs per person', async () => {
  const { reports, makeRead } = hostileSite()
  const array = Array.from({ length: 100_000 }, (_, task) => `7[${task}].head ada`)
  reports.ada = array
  reports.mallory = [
    `${'9'.repeat(4000)} mallory`,
    '\0 mallory',
    ' mallory',
    'é mallory',
    '8[].head mallory',
    ...Array.from({ length: 150_000 }, (_, number) => `${number + 10} mallory`),
  ]
  const { jobs } = await makeRead()()
  const hers = jobs.filter((job) => job.endsWith('ada'))
  const forged = jobs.filter((job) => job.endsWith('mallory'))
  expect(hers).toHaveLength(array.length)
  expect(forged).toHaveLength(100_000)
  expect(forged).toContain('8[].head mallory')
  expect(forged.filter((job) => !/^\d+(\[\]\.head)? mallory$/.test(job) || job.length > 50)).toEqual([])
})

it('shows a job even if someone else claims its number, and an account as its directory writes it', async () => {
  const { reports, makeRead } = hostileSite()
  reports.mallory = ['1 mallory']
  reports.ada = ['1 ada', '6 Ada', '7 ada@example.org']
  expect((await makeRead()()).jobs).toEqual(['1 ada', '1 mallory', '6 Ada', '7 ada@example.org'])
})

it('keeps apart the jobs of two accounts that report under an equivalent name', async () => {
  const { reports, makeRead } = hostileSite()
  const accounts = { 'bob@here': ['9 bob'], 'bob@there': ['9 bob'] }
  Object.assign(reports, accounts)
  expect((await makeRead(Object.keys(accounts))()).jobs).toEqual(['9 bob', '9 bob'])
})

it('does not wait for a person’s account that is slow, and shows its jobs once they are read', async () => {
  const { reports, slow, makeRead } = hostileSite()
  const read = makeRead()
  await read()
  let answer = () => {}
  slow.set('mallory', new Promise((resolve) => (answer = resolve)))
  reports.mallory = ['4 mallory']
  expect((await read()).jobs).toEqual(['1 ada', '2 mallory'])
  reports.ada = ['5 ada']
  expect((await read()).jobs, 'others are queried meanwhile').toEqual(['2 mallory', '5 ada'])
  answer()
  await expect.poll(async () => (await read()).jobs).toEqual(['4 mallory', '5 ada'])
})

it('keeps hiding jobs after a restart while the server does not answer', async () => {
  const { makeRead, setBusy } = hostileSite()
  setBusy(true)
  expect(await makeRead()()).toEqual({ jobs: ['1 ada', '2 mallory'], hidden: 'hidden' })
})
