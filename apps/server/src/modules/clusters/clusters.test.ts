import { api } from '@flotilla/contract/api'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sent } from '@flotilla/contract/endpoint'
import { NEXT_CURSOR } from '@flotilla/contract/limits'
import { processOf } from '../../executor/processes'
import { Console } from '../../../test/support/console/console'
import { until } from '../../../test/support/until'
import { soakIt } from '../../../test/support/soak'

const local = (virtualNodes = {}) => ({
  manager: 'none' as const,
  transport: 'local' as const,
  virtualNodes,
})

let server: Console
beforeAll(async () => {
  server = await Console.start()
})
afterAll(() => server.stop())

const daemonOf = (id: string) => path.join(server.dataDir, 'clusters', id, 'spool', 'daemon.pid')
const pidOf = async (id: string) => Number((await readFile(daemonOf(id), 'utf8')).split(' ')[0])
/** Whether a process has this argument. */
const runs = (word: string) =>
  readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word)
    } catch {
      return false
    }
  })

describe('a local cluster', () => {
  it('follows the state table, and records every step in its activities and logs', async () => {
    const id = await server.saved('Living', local({ prefix: 'v', count: 2, cores: 2 }))
    const as = { token: server.admin }
    expect(await server.answer(api.clusters.stop, { body: { id } }, as)).toMatchObject({
      status: 409,
      json: { code: 'wrong_state', state: 'saved', message: expect.stringContaining('available') },
    })
    const reset = { id, resetingState: true }
    expect((await server.refused(api.clusters.destroy, { body: reset }, as)).status).toBe(409)
    expect(
      (await server.refused(api.clusters.drain, { id, body: { nodes: ['v1'] } }, { token: server.admin }))
        .status,
    ).toBe(409)
    expect((await server.refused(api.files.list, { cluster: id }, { token: server.admin })).status).toBe(409)
    await server.act(id, 'deploy')
    expect((await server.refused(api.clusters.deploy, { body: { id } }, as)).status).toBe(409)
    await server.available(id)
    expect((await server.refused(api.clusters.remove, { id }, { token: server.admin })).status).toBe(409)
    const activities = await server.must(api.clusters.activities, { id }, { token: server.admin })
    expect(activities.map(({ action, actor }) => `${actor} ${action}`)).toEqual([
      'admin deploy done',
      'admin deploy started',
      'admin created',
    ])
    const page = await server.answer(api.clusters.activities, { id, query: { limit: 2 } }, as)
    const cursor = page.headers.get(NEXT_CURSOR) ?? ''
    expect(
      await server.must(
        api.clusters.activities,
        { id, query: { limit: 2, cursor } },
        { token: server.admin },
      ),
    ).toHaveLength(1)
    for (const wrong of ['x', '9'.repeat(30), '-1', '1.5', '1_a'])
      expect(
        (
          await server.refused(
            api.clusters.activities,
            { id, query: { cursor: wrong } },
            { token: server.admin },
          )
        ).status,
      ).toBe(400)
    const log = (query: { after?: number; search?: string }) =>
      server.must(api.clusters.logs, { id, type: 'deploy', query }, { token: server.admin })
    const [first, ...rest] = await log({})
    expect(await log({ after: first?.seq ?? 0 })).toEqual(rest)
    expect((await log({ search: 'VIRTUAL' })).map(({ text }) => text)).toEqual([
      'Setting up 2 virtual nodes with 2 cores each',
    ])
    for (const after of [1.5, -3, 1e300]) await log({ after })
    await log({ search: '%' })
    for (const odd of [1e20, -5, 0.5])
      await server.must(api.clusters.load, { id, query: { since: odd } }, { token: server.admin })
  })

  it('applies an operation to every job that allows it, and gives the reason for each of the others', async () => {
    const id = await server.saved('Operated', local({ prefix: 'o', count: 1, cores: 2 }))
    await server.act(id, 'deploy')
    await server.available(id)
    const submitted = await Promise.all([1, 2].map(() => server.submit(id, { script: 'sleep 1000' })))
    const names = submitted.map(({ nativeId }) => nativeId ?? '')
    const canceled = (jobs: string[]) => ({ id, operation: 'cancel', body: { jobs } })
    const as = { token: server.admin }
    const [first = '', second = ''] = names
    const some = await server.must(api.clusters.operateJobs, canceled([first, '999999', second]), as)
    expect(some).toMatchObject({ failed: [{ name: '999999' }] })
    expect(some.failed[0]?.reason).not.toBe('')
    for (const one of submitted) expect((await server.ended(one.id)).state).toBe('canceled')
    await server.refused(api.clusters.operateJobs, canceled(['999999']), as)
  })

  soakIt('sets up its nodes again after an edit, and keeps running jobs', async () => {
    const id = await server.deployed('Edited', local({ prefix: 'e', count: 1, cores: 2 }))
    const lines = await server.must(api.clusters.logs, { id, type: 'deploy' }, { token: server.admin })
    // A count of one uses the singular.
    expect(lines.map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        'Setting up 1 virtual node with 2 cores',
        'Found 1 node with 2 cores',
        'Found 0 jobs',
      ]),
    )
    const running = await server.submit(id, { script: 'sleep 4' })
    await server.reached(running.id, ['running'])
    type Edit = Sent<typeof api.clusters.updateLocal>['body']
    const edit = (data: Edit['data'], more: Partial<Edit> = {}) =>
      server.answer(
        api.clusters.updateLocal,
        { body: { id, name: 'Edited', data, ...more } },
        { token: server.admin },
      )
    expect((await edit(local({ prefix: 'e', count: 3, cores: 4 }))).json.info.state).toBe('updating')
    expect(await server.settled(id)).toMatchObject({
      info: { state: 'available' },
      nodes: { total: 3 },
      largestNode: { cores: 4 },
    })
    // A new description does not affect the machine.
    expect(
      (await edit(local({ prefix: 'e', count: 3, cores: 4 }), { description: 'text' })).json.info.state,
    ).toBe('available')
    expect(await edit({ manager: 'slurm', transport: 'local' })).toMatchObject({
      status: 409,
      json: { fields: { 'data.manager': expect.any(String) } },
    })
    expect(await server.ended(running.id)).toMatchObject({ state: 'completed' })
    // A stopped cluster stays stopped.
    await server.act(id, 'stop')
    await server.settled(id)
    await edit(local({ prefix: 'e', count: 2, cores: 4 }))
    expect(await server.settled(id)).toMatchObject({
      info: { state: 'stopped' },
      nodes: { total: 2, offline: 2 },
    })
  })

  it('is destroyed with its jobs, executor and spool, and can be deployed again', async () => {
    const id = await server.deployed('Ending', local({ prefix: 'd', cores: 2 }))
    const script = 'sleep 1000 & echo $!; wait'
    const [one, two] = [await server.submit(id, { script }), await server.submit(id, { script, cores: 2 })]
    await server.reached(one.id, ['running'])
    await server.act(id, 'stop')
    await server.settled(id)
    const pid = await pidOf(id)
    await server.act(id, 'destroy')
    expect(await server.settled(id)).toMatchObject({
      info: { state: 'destroyed' },
      nodes: { total: 0 },
      queue: { total: 0 },
    })
    for (const each of [one, two])
      expect(await server.submission(each.id)).toMatchObject({
        state: 'canceled',
        endedAt: expect.any(Number),
      })
    await until(() => !processOf(pid))
    expect(existsSync(path.dirname(daemonOf(id)))).toBe(false)
    // Nodes that were drained before the cluster was destroyed accept jobs after it is deployed again.
    await server.act(id, 'deploy')
    await server.available(id)
    const again = await server.submit(id, { script: 'echo again' })
    expect(await server.ended(again.id)).toMatchObject({ state: 'completed' })
    await server.act(id, 'destroy')
    await server.settled(id)
    await server.must(api.clusters.remove, { id }, { token: server.admin })
    expect((await server.refused(api.clusters.view, { id }, { token: server.admin })).status).toBe(404)
    expect(existsSync(path.join(server.dataDir, 'clusters', id))).toBe(false)
    // The history is kept and shows where the job ran.
    expect(await server.submission(again.id)).toMatchObject({ cluster: { name: 'Ending' } })
    expect(await server.must(api.jobs.outputs, { id: again.jobId }, { token: server.admin })).toBeNull()
  })

  soakIt('can be force destroyed when it hangs', async () => {
    const id = await server.deployed('Hanging', local({ prefix: 'h' }))
    const marked = `${1000 + Math.random()}`
    const running = await server.submit(id, { script: `echo $$; sleep ${marked}` })
    await server.reached(running.id, ['running'])
    const pid = await pidOf(id)
    await server.wrote(running, /^\d+\n$/)
    process.kill(pid, 'SIGSTOP')
    await server.act(id, 'destroy')
    expect((await server.cluster(id)).info.state).toBe('destroying')
    await server.act(id, 'destroy', { resetingState: true })
    expect((await server.settled(id)).info).toMatchObject({ state: 'destroyed' })
    expect(await server.submission(running.id)).toMatchObject({
      state: 'lost',
      reason: expect.stringContaining('detached'),
    })
    // Neither the executor nor its job is left behind.
    await until(() => !processOf(pid) && !runs(marked))
    // When the hung run continues, it changes nothing.
    expect((await server.cluster(id)).info).toMatchObject({ state: 'destroyed' })
  })
})

it('a local cluster is priced by the hardware of its nodes and the prices that an admin set', async () => {
  const setPrices = (perCoreHour: number | null, perGpuHour: number | null) =>
    server.must(api.settings.setLocalPrices, { body: { perCoreHour, perGpuHour } }, { token: server.admin })
  const priceOf = async (id: string) => (await server.cluster(id)).price
  const id = await server.saved('Priced', local({ prefix: 'p', count: 3, cores: 2, gpus: 1 }))
  await setPrices(0.1, 0.5)
  // Its nodes are not known yet.
  expect(await priceOf(id)).toBeNull()
  await server.act(id, 'deploy')
  await server.available(id)
  expect(await priceOf(id)).toMatchObject({
    perHour: 2.1,
    perMonth: 1533,
    source: 'set by an admin',
    unpriced: [],
    parts: [
      { what: 'cores', count: 6, perHour: 0.6 },
      { what: 'GPUs', count: 3, perHour: 1.5 },
    ],
  })
  const listed = await server.must(api.clusters.list, {}, { token: server.admin })
  expect(listed.find((one) => one.id === id)?.price).toEqual(await priceOf(id))

  await setPrices(0.1, null)
  expect(await priceOf(id)).toMatchObject({ perHour: 0.6, unpriced: ['GPUs'] })
  await setPrices(0, 0)
  expect(await priceOf(id)).toMatchObject({ perHour: 0, unpriced: [] })
  await setPrices(null, null)
  expect(await priceOf(id)).toMatchObject({ perHour: null, perMonth: null, unpriced: ['cores', 'GPUs'] })

  // The nodes are gone with it.
  await server.act(id, 'destroy')
  await server.settled(id)
  expect(await priceOf(id)).toBeNull()
})
