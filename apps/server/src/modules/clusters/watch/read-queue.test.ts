import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { torque } from '../../../schedulers/torque'
import { exec } from '../../../../test/support/exec'
import { installTorque } from '../../../../test/torque/install'
import type { ClusterConnection } from '../commands/connection'
import type { StoredCluster } from '../stored-cluster'
import { makeQueueReader } from './read-queue'

it('asks as the people who have jobs where the login account sees none, and only there', async () => {
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
  const asked: string[] = []
  const locked = new Set<string>()
  const busy = new Set(['ada', 'bob'])
  let clock = Date.now()
  const read = makeQueueReader({
    people: async () =>
      ['ada', 'bob'].map((username) => ({ id: username, username, busy: busy.has(username) })),
    asPerson(_cluster, { username }) {
      asked.push(username)
      return locked.has(username) ? Promise.reject(new Error('locked')) : connectionOf(username)
    },
    now: () => clock,
  })
  const cluster = { id: 'c' } as StoredCluster
  const login = await connectionOf('tqlogin')
  const users = async () => (await read(cluster, login)).jobs.map(({ user }) => user).toSorted()
  expect(await users()).toEqual(['ada', 'bob'])
  locked.add('ada')
  expect(await users(), 'what was last seen of theirs').toEqual(['ada', 'bob'])

  asked.length = 0
  await users()
  expect(asked, 'a refused account is left alone for a while').toEqual(['bob'])
  clock += 16_000
  await users()
  clock += 16_000
  asked.length = 0
  await users()
  expect(asked, 'and for longer the second time').toEqual(['bob'])
  busy.clear()
  asked.length = 0
  await users()
  expect(asked, 'who has nothing in progress is asked less often').toEqual([])
  clock += 16_000
  await users()
  expect(asked).toEqual(['ada', 'bob'])

  clock += 2 * 60_000
  const { transport } = login
  const busyServer = (argv: string[], options: Parameters<typeof transport.exec>[1]) =>
    argv.join(' ').includes('-B')
      ? Promise.resolve({ code: 1, stdout: '', stderr: 'qstat: Server busy' })
      : transport.exec(argv, options)
  const unsaid = await read(cluster, { ...login, transport: { ...transport, exec: busyServer as never } })
  expect(unsaid.hidden, 'a server that does not say has not changed').not.toBeNull()

  site.setSite({ queryOtherJobs: true })
  clock += 2 * 60_000
  asked.length = 0
  expect(await users()).toEqual(['ada', 'bob'])
  expect(asked, 'everyone is seen').toEqual([])
  await rm(folder, { recursive: true, force: true })
})
