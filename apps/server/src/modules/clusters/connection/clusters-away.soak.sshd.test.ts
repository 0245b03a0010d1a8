import { api } from '@flotilla/contract/api'
import { mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Console } from '../../../../test/support/console/console'
import { fingerprintOfLine } from '../../../transports/ssh/host-key'
import { startSshd, type TestSshd } from '../../../../test/support/machines/sshd'
import { installTorque, type ReplayedTorque } from '../../../../test/support/schedulers/torque/install'
import { until } from '../../../../test/support/until'

let folder: string
let torque: ReplayedTorque
let sshd: TestSshd
let server: Console
let cluster: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-away-'))
  ;[torque, sshd, server] = await Promise.all([installTorque(folder), startSshd(), Console.start()])
  cluster = await server.deployed('Far', data())
})
afterAll(async () => {
  await server.stop()
  await sshd.remove()
  await rm(folder, { recursive: true, force: true })
  await rmdir(path.join(os.homedir(), 'flotilla')).catch(() => undefined)
})

const data = (head = {}) => ({
  manager: 'torque' as const,
  transport: 'ssh' as const,
  head: {
    host: '127.0.0.1',
    port: sshd.port,
    username: sshd.username,
    key: 'given' as const,
    privateKey: sshd.privateKey,
    binFolder: torque.bin,
    ...head,
  },
})
const errorOf = (id = cluster) => until(async () => (await server.cluster(id)).freshness.error)
const wellAgain = (id = cluster) => until(async () => (await server.cluster(id)).freshness.error === null)
/** Sends calls that need the head node, all at once, and returns the replies. */
const refusals = async () => {
  const job = await server.job({ script: 'true', cores: 2 })
  const as = server.admin
  const calls = [
    server.answer(api.jobs.submit, { body: { id: job, cluster, runAsAdmin: true } }, { token: as }),
    server.answer(api.clusters.drain, { id: cluster, body: { nodes: ['tn01'] } }, { token: as }),
    server.answer(
      api.clusters.operateJobs,
      { id: cluster, operation: 'hold', body: { jobs: ['1.head'] } },
      { token: as },
    ),
  ]
  return (await Promise.all(calls)).map(({ json }) => json)
}
const log = async (id = cluster) =>
  (await server.must(api.clusters.logs, { id, type: 'connection' }, { token: server.admin })).map(
    ({ text }) => text,
  )

describe('a head node', () => {
  it('that becomes unreachable is shown as such with its last known data, and recovers by itself', async () => {
    const running = await server.submit(cluster, { script: 'sleep 1000', nodes: 2, cores: 2 }, server.admin, {
      runAsAdmin: true,
    })
    await until(async () => (await server.cluster(cluster)).queue.running === 1)
    await sshd.stop()
    const error = await errorOf()
    expect(error).toMatch(/^Could not (connect|open channel|run command): .*127\.0\.0\.1/)
    const gone = await server.cluster(cluster)
    expect(gone).toMatchObject({ info: { state: 'available' }, nodes: { total: 2 }, queue: { running: 1 } })
    expect(gone.freshness.errorSince).toBeGreaterThanOrEqual(gone.freshness.polledAt ?? Infinity)
    expect(
      (await server.must(api.clusters.nodes, { id: cluster }, { token: server.admin })).rows,
    ).toHaveLength(2)
    expect(await server.submission(running.id)).toMatchObject({ state: 'running' })
    for (const refusal of await refusals()) {
      expect(refusal).toMatchObject({
        statusCode: 503,
        code: 'head_node_unavailable',
        part: 'head node',
        step: expect.any(String),
      })
      expect(refusal.message).toContain('127.0.0.1')
    }
    const canceled = { body: { job: running.id, cluster } }
    const as = { token: server.admin }
    expect((await server.refused(api.jobs.cancel, canceled, as)).status).toBe(503)
    const output = await server.refused(
      api.jobs.output,
      { job: running.jobId, submission: running.id, file: 'output.txt' },
      { token: server.admin },
    )
    expect(output.status).toBe(503)
    expect(await server.must(api.jobs.outputs, { id: running.jobId }, { token: server.admin })).toBeNull()
    // Reading stored data needs no connection.
    expect(
      await server.must(api.clusters.node, { cluster, node: 'tn01' }, { token: server.admin }),
    ).toMatchObject({ node: { name: 'tn01' } })

    await sshd.start()
    await wellAgain()
    // An earlier line says that this Torque hides the jobs of others.
    const [, first, ...later] = await log()
    expect([first, later.at(-1)]).toEqual([error, 'The cluster is responding again'])
    await server.must(api.jobs.cancel, canceled, as)
    expect(await server.ended(running.id)).toMatchObject({ state: 'canceled' })
  })

  it('with a changed host key is not used until someone accepts that exact key', async () => {
    const keys = () => server.must(api.clusters.hostKey, { id: cluster }, { token: server.admin })
    const accept = (fingerprint: string) =>
      server.answer(
        api.clusters.acceptHostKey,
        { id: cluster, body: { fingerprint } },
        { token: server.admin },
      )
    const before = fingerprintOfLine(await sshd.hostKey())
    expect((await server.localCluster(cluster)).data.hostKey).toBe(before)
    expect(await keys()).toEqual({ known: before, shown: before })

    await sshd.changeHostKey()
    await until(async () => /^Could not check host key: .*has changed/.test(await errorOf()))
    const after = fingerprintOfLine(await sshd.hostKey())
    expect(await keys()).toEqual({ known: before, shown: after })
    // Fetching a key does not trust it, and neither does accepting a key other than the one presented now.
    expect(await accept(before)).toMatchObject({
      status: 409,
      json: { message: expect.stringContaining(after) },
    })
    expect((await accept('SHA256:short')).status).toBe(400)
    expect((await server.localCluster(cluster)).data.hostKey).toBe(before)

    expect((await accept(after)).status).toBe(200)
    await wellAgain()
    expect((await server.localCluster(cluster)).data.hostKey).toBe(after)
    const [done] = await server.must(api.clusters.activities, { id: cluster }, { token: server.admin })
    expect(done).toMatchObject({
      actor: 'admin',
      action: 'host key accepted',
      detail: `${after} instead of ${before}`,
    })
    const machine = await server.thisMachine()
    expect(
      (await server.refused(api.clusters.hostKey, { id: machine }, { token: server.admin })).status,
    ).toBe(409)
  })

  it('that is unreachable has no host key to accept', async () => {
    await sshd.stop()
    expect(await server.answer(api.clusters.hostKey, { id: cluster }, { token: server.admin })).toMatchObject(
      { status: 503, json: { code: 'head_node_unavailable', step: 'connect' } },
    )
    await sshd.start()
    await wellAgain()
  })

  it('is tested up to the login before the cluster is saved and has a key', async () => {
    const body = { name: 'Typed', data: data({ key: 'cluster', privateKey: undefined }) }
    const steps = await server.must(api.clusters.test, { body }, { token: server.admin })
    expect(steps.map(({ step, ok }) => [step, ok])).toEqual([
      ['resolve host', true],
      ['connect', true],
      ['check host key', true],
      ['log in', false],
    ])
    expect(steps.at(-1)?.message).toMatch(/Save it, add its public key to .*authorized_keys on 127\.0\.0\.1/)
  })

  it('with a changed host key can also be attached again', async () => {
    await sshd.changeHostKey()
    await until(async () => /^Could not check host key: .*has changed/.test(await errorOf()))
    const [submit] = await refusals()
    expect(submit).toMatchObject({ statusCode: 503, step: 'check host key' })
    await server.act(cluster, 'destroy')
    expect((await server.settled(cluster)).info.state).toBe('destroyed')
    await server.act(cluster, 'deploy')
    await server.available(cluster)
    await wellAgain()
  })

  it('that rejects the key, does not exist or lacks the programs fails the deploy, which names the step', async () => {
    const failed = async (name: string, head: object) => {
      const id = await server.saved(name, data(head))
      await server.act(id, 'deploy')
      const { info } = await server.settled(id)
      expect(info.state).toBe('failed')
      const lines = await server.must(api.clusters.logs, { id, type: 'deploy' }, { token: server.admin })
      expect(lines.at(-1)).toMatchObject({ text: `Failed: ${info.cause}`, level: 'error' })
      const steps = await server.must(api.clusters.test, { beside: { id } }, { token: server.admin })
      return { id, cause: info.cause, last: steps.at(-1) }
    }
    const stranger = await failed('Stranger', { privateKey: sshd.strangerKey })
    expect(stranger.cause).toMatch(/^Could not log in: .*rejected the key/)
    expect(stranger.last).toMatchObject({
      step: 'log in',
      ok: false,
      message: expect.stringContaining('authorized_keys'),
    })
    const nowhere = await failed('Nowhere', { port: 1 })
    expect(nowhere.cause).toMatch(/^Could not connect: /)
    expect(nowhere.last).toMatchObject({ step: 'connect', ok: false })
    const bare = await failed('Bare', { binFolder: '/nowhere' })
    expect(bare.last).toMatchObject({ step: 'resource manager', ok: false })
    // A cluster that an edit fixed can be attached; one that was never reached can be destroyed.
    const body = { id: stranger.id, name: 'Friend', data: data() }
    await server.must(api.clusters.updateLocal, { body }, { token: server.admin })
    await server.act(stranger.id, 'deploy')
    await server.available(stranger.id)
    for (const { id } of [nowhere, bare]) {
      await server.act(id, 'destroy')
      expect((await server.settled(id)).info.state).toBe('destroyed')
    }
  })

  it('whose resource manager hangs times out with a message, and recovers afterward', async () => {
    const bin = await mkdtemp(path.join(folder, 'slow-'))
    const script = (name: string) =>
      `#!/bin/sh\nwhile [ -e ${folder}/hangs ]; do sleep 0.1; done\nexec ${torque.bin}/${name} "$@"\n`
    for (const name of ['qsub', 'qstat', 'qdel', 'pbsnodes', 'tracejob'])
      await writeFile(path.join(bin, name), script(name), { mode: 0o755 })
    const id = await server.deployed('Slow', data({ binFolder: bin }))
    await writeFile(path.join(folder, 'hangs'), '')
    expect(await errorOf(id)).toMatch(/^Could not run command: .*(qstat|pbsnodes)/)
    await rm(path.join(folder, 'hangs'))
    await wellAgain(id)
  })
})
