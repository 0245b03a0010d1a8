import { api } from '@flotilla/contract/api'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Console } from '../../../../test/support/console/console'
import { newDatabase } from '../../../../test/support/database/database'
import { listenAs } from '../../../../test/support/app/server'
import { installTorque } from '../../../../test/support/schedulers/torque/install'
import { until } from '../../../../test/support/until'

let folder: string
let database: Awaited<ReturnType<typeof newDatabase>>
let one: Console
let two: Console
let cluster: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-poller-'))
  const torque = await installTorque(folder)
  // A qstat that records which server ran it: the parent of the shell that runs it.
  const bin = path.join(folder, 'counted')
  await mkdir(bin)
  await writeFile(
    path.join(bin, 'qstat'),
    `#!/bin/sh\nread -r _ _ _ server _ < /proc/$PPID/stat\necho "$server" >> ${folder}/queries\nexec ${torque.bin}/qstat "$@"\n`,
    { mode: 0o755 },
  )
  await mkdir(path.join(folder, 'data'))
  await chmod(folder, 0o755)
  database = await newDatabase()
  const env = { PATH: `${bin}:${torque.bin}:${process.env.PATH ?? ''}`, HOME: folder }
  const place = { env, databaseUrl: database.url, dataDir: path.join(folder, 'data') }
  ;[one, two] = await Promise.all([Console.start(place), Console.start(place)])
  cluster = await one.deployed('Polled', { manager: 'torque', transport: 'local' })
})
afterAll(async () => {
  await two.stop()
  await one.kill('SIGTERM')
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

/** The process ids of the servers that ran a query, in order. */
const queries = (): number[] =>
  existsSync(path.join(folder, 'queries'))
    ? readFileSync(path.join(folder, 'queries'), 'utf8').trim().split('\n').map(Number)
    : []
const nextQueries = async (count: number): Promise<number[]> => {
  const before = queries().length
  return until(() => (queries().length >= before + count ? queries().slice(before) : null))
}

describe('of two servers on one database', () => {
  let leader: Console
  let other: Console

  it('one polls each cluster, whichever attached it and however many users view it', async () => {
    const browsers = await Promise.all(
      [one, two, one, two].map((server) => listenAs(server.url, server.admin)),
    )
    const all = new Set(await nextQueries(6))
    expect(all.size).toBe(1)
    leader = all.has(one.pid) ? one : two
    other = leader === one ? two : one
    expect(all.has(leader.pid)).toBe(true)
    // A cluster attached through the other server is polled by the same one.
    const more = await other.deployed('Other', { manager: 'torque', transport: 'local' })
    const polledAt = async () => (await other.cluster(more)).freshness.polledAt ?? 0
    const first = await polledAt()
    await until(async () => (await polledAt()) > first)
    expect(new Set(await nextQueries(4))).toEqual(all)
    await other.act(more, 'destroy')
    await other.settled(more)
    for (const { socket } of browsers) socket.disconnect()
  })

  it('the one that does not poll can submit, and is notified of what the other saw', async () => {
    const listener = await listenAs(other.url, other.admin)
    const submitted = await other.submit(cluster, { script: 'sleep 1000', nodes: 2, cores: 2 }, other.admin, {
      runAsAdmin: true,
    })
    await other.reached(submitted.id, ['running'])
    await until(() =>
      listener.received.some(({ event, data }) => event === 'change' && data.changed === 'queuedjobs'),
    )
    const numbers = listener.received.map(({ data }) => data.seq)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    await other.must(api.jobs.cancel, { body: { job: submitted.id, cluster } }, { token: other.admin })
    expect(await other.ended(submitted.id)).toMatchObject({ state: 'canceled' })
    listener.socket.disconnect()
  })

  it('the other takes over when the first dies, and they do not compete when it is back', async () => {
    await leader.kill()
    await until(() => queries().at(-1) === other.pid)
    await leader.run()
    leader.admin = await leader.login('admin')
    const submitted = await leader.submit(
      cluster,
      { script: 'sleep 1000', nodes: 2, cores: 2 },
      leader.admin,
      { runAsAdmin: true },
    )
    await leader.reached(submitted.id, ['running'])
    expect(new Set(await nextQueries(6))).toEqual(new Set([other.pid]))
    await leader.must(api.jobs.cancel, { body: { job: submitted.id, cluster } }, { token: leader.admin })
    await leader.ended(submitted.id)
  })
})
