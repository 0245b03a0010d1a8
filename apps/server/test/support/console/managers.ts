import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClusterNode } from '@flotilla/contract/clusters/tables'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import type { Console } from './console'
import type { Manager, Prepared } from './manager'
import { until } from '../until'

/** A sentence rather than a code of the resource manager. */
const plainSentence = /^[A-Z][a-z]+( .+)+$/

/**
 * The managers of one test file are tested in parallel, as most of the time is spent waiting. Cases that take a manager
 * up to minutes run only with `waits`.
 */
export function managerBehaviors(
  title: string,
  prepared: () => Promise<Prepared> | Prepared,
  waits = true,
): void {
  describe.concurrent(`${title}:`, () => {
    describe.sequential('a cluster', () => {
      inOrder(prepared, waits)
    })
  })
}

function inOrder(prepared: () => Promise<Prepared> | Prepared, waits: boolean): void {
  let manager: Manager
  let server: Console
  let cluster: string
  let operated: string
  let overdue: Submission
  let submit: Prepared['submit']
  let stop: Prepared['stop']
  beforeAll(async () => {
    ;({ manager, server, cluster, operated, overdue, submit, stop } = await prepared())
  })
  afterAll(() => stop())

  const cancel = async ({ id }: Submission): Promise<Submission> => {
    await server.must(api.jobs.cancel, { body: { job: id, cluster } }, { token: server.admin })
    return server.ended(id)
  }
  const whole = (id: string) => ({ id, query: { limit: 500 } })
  const nodesOf = async (of = cluster) =>
    (await server.must(api.clusters.nodes, whole(of), { token: server.admin })).rows
  const queueOf = async (of = cluster) =>
    (await server.must(api.clusters.queue, whole(of), { token: server.admin })).rows
  const nodeIs = (name: string, state: ClusterNode['state'], of = cluster): Promise<ClusterNode> =>
    until(async () => (await nodesOf(of)).find((node) => node.name === name && node.state === state))
  const operate = (operation: string, { nativeId }: Submission) =>
    server.must(
      api.clusters.operateJobs,
      { id: cluster, operation, body: { jobs: [nativeId ?? ''] } },
      { token: server.admin },
    )

  it('is attached with its nodes, and the log shows how', async () => {
    const nodes = await nodesOf()
    expect(nodes.map(({ name }) => name)).toEqual(manager.nodes)
    for (const node of nodes) expect(node).toMatchObject({ cores: 4 })
    const { largestNode } = await server.cluster(cluster)
    expect(largestNode).toEqual({ cores: 4, gpus: 2 })
    const log = await server.must(api.clusters.logs, { id: cluster, type: 'deploy' }, { token: server.admin })
    expect(log.map(({ text }) => text)).toContain('Found 2 nodes with 8 cores')
  })

  it('runs a job to its end, and its output, nodes and times are known', async () => {
    const submitted = await submit({
      name: 'hello',
      cores: 2,
      script: 'echo to the output; echo to the errors >&2',
    })
    expect(submitted.nativeId).not.toBeNull()
    const done = await server.ended(submitted.id)
    expect(done).toMatchObject({ state: 'completed', exitCode: 0 })
    expect(manager.nodes).toContain(done.nodeList)
    if (!manager.real) return
    expect(await server.output(submitted)).toBe('to the output\nto the errors\n')
    expect(done.startedAt).toBeGreaterThanOrEqual(Math.floor(done.submittedAt / 1000) * 1000)
    expect(done.endedAt).toBeGreaterThanOrEqual(done.startedAt ?? Infinity)
  })

  it('reports the exit code of a job that fails', async () => {
    const failing = await submit({ name: 'fail', cores: 1, script: 'exit 3' })
    const done = await server.ended(failing.id)
    expect(done).toMatchObject({ state: 'failed', exitCode: 3 })
    expect(done.reason).toMatch(plainSentence)
  })

  it('gives a job several nodes; one that does not fit waits with a readable reason; both can be canceled', async () => {
    const multi = await submit({
      name: 'multi',
      nodes: 2,
      cores: 2,
      script: `${manager.printNodes}; sleep 1000`,
    })
    const running = await server.reached(multi.id, ['running'])
    for (const name of manager.nodes) {
      expect(running.nodeList).toContain(manager.real ? '' : name)
      const detail = await until(async () => {
        const { jobs } = await server.must(
          api.clusters.node,
          { cluster, node: name },
          { token: server.admin },
        )
        return jobs.find(({ submissionId }) => submissionId === multi.id)
      })
      expect(detail).toMatchObject({ state: 'running', nodes: 2, cores: 2, jobId: multi.jobId })
      // Managers differ in whether a node with free cores counts as busy or available.
      await until(async () => (await nodesOf()).find((node) => node.name === name && node.coresUsed >= 2))
    }
    if (manager.real) await server.wrote(multi, new RegExp(`^${manager.nodes.join(' ')}\n$`))

    const large = await submit({ name: 'toolarge', nodes: 2, cores: 4, script: 'true' })
    const waiting = await until(async () => {
      const now = await server.submission(large.id)
      return now.reason ? now : null
    })
    expect(['queued', 'blocked']).toContain(waiting.state)
    expect(waiting.reason).toMatch(plainSentence)

    await operate('hold', waiting)
    const held = await server.reached(large.id, ['blocked'])
    expect(held.reason).toMatch(/held|hold/i)
    await operate('release', waiting)
    await server.reached(large.id, ['queued'])

    expect(await cancel(large)).toMatchObject({ state: 'canceled', startedAt: null })
    expect(await cancel(multi)).toMatchObject({ state: 'canceled' })
  })

  it('gives a job the GPUs that it requests', async () => {
    const script = `echo "gpus: $${manager.gpuVariable}"; sleep 1000`
    const gpu = await submit({ name: 'gpu', cores: 1, gpus: 1, script })
    await server.reached(gpu.id, ['running'])
    const row = await until(async () => (await queueOf()).find(({ submissionId }) => submissionId === gpu.id))
    expect(row.gpus).toBe(1)
    if (manager.real) await server.wrote(gpu, /^gpus: \d\n$/)
    expect(await cancel(gpu)).toMatchObject({ state: 'canceled' })
  })

  it('runs every task of an array, each with an output of its own', async () => {
    const array = await submit({
      name: 'arr',
      cores: 1,
      // Real managers read the directives in the script; the built-in executor needs the field.
      ...('manager' in manager.data && manager.data.manager === 'none' && { array: '1-3' }),
      script: `#PBS -t 1-3\n#SBATCH --array=1-3\necho "task $${manager.task}"${manager.real ? '' : '; sleep 1000'}`,
    })
    expect(array.data.array).toBe('1-3')
    const rows = await until(async () => {
      const ours = (await queueOf()).filter(({ submissionId }) => submissionId === array.id)
      return ours.length === 3 ? ours : null
    })
    expect(new Set(rows.map(({ id }) => id)).size).toBe(3)
    if (!manager.real) return expect(await cancel(array)).toMatchObject({ state: 'canceled' })
    expect(await server.ended(array.id)).toMatchObject({ state: 'completed', exitCode: 0 })
    const outputs = await server.must(api.jobs.outputs, { id: array.jobId }, { token: server.admin })
    expect(outputs?.map(({ file }) => file).toSorted()).toEqual([
      'output.txt-1',
      'output.txt-2',
      'output.txt-3',
    ])
    expect(await server.output(array, 'output.txt-2')).toBe('task 2\n')
  })

  it('takes a node out of service and into it again', async () => {
    const [first] = manager.nodes
    const as = { token: server.admin }
    const drain = { id: operated, body: { nodes: [first], reason: 'a fan is loud' } }
    // Torque refuses this with exit code 0.
    if (manager.operated === null)
      return expect(await server.refused(api.clusters.drain, drain, as)).toMatchObject({
        status: 409,
        message: expect.stringMatching(plainSentence),
      })
    await server.must(api.clusters.drain, drain, as)
    expect(await nodeIs(first, 'offline', operated)).toMatchObject({
      reason: expect.stringContaining('a fan is loud'),
    })
    expect((await server.cluster(operated)).nodes).toMatchObject({ offline: 1, total: 2 })
    await server.must(api.clusters.resume, { id: operated, body: { nodes: [first] } }, as)
    await until(async () => (await server.cluster(operated)).nodes.offline === 0)
  })

  it('refuses a request for missing resources, and the submission fails with the reason', async () => {
    if (!manager.real) return
    const id = await server.job({ script: 'true', nodes: 9, gpus: 9 })
    const body = { id, cluster, runAsAdmin: true }
    const { status, json } = await server.answer(api.jobs.submit, { body }, { token: server.admin })
    // Some managers accept the job and hold it forever, with a reason.
    if (status === 201) {
      const waiting = await until(async () => {
        const now = await server.submission(json.id)
        return now.reason ? now : null
      })
      expect(waiting).toMatchObject({ state: 'blocked', reason: expect.stringMatching(plainSentence) })
      return void (await server.must(
        api.jobs.cancel,
        { body: { job: json.id, cluster } },
        { token: server.admin },
      ))
    }
    expect({ status, message: json.message }).toMatchObject({
      status: 409,
      message: expect.stringMatching(plainSentence),
    })
    const [last] = await server.must(api.jobs.submissions, { id }, { token: server.admin })
    expect(last).toMatchObject({ state: 'failed', reason: json.message })
  })

  it.each(waits ? ['dies'] : [])('shows a node that %s as down, and its job stops running', async () => {
    const { power } = manager
    if (!power) return
    const [, second] = manager.nodes
    const victim = await submit({ name: 'multi', nodes: 2, cores: 2, script: 'sleep 1000' })
    await server.reached(victim.id, ['running'])
    await power.off(second)
    expect(await nodeIs(second, 'down')).toMatchObject({ name: second })
    // A replayed job keeps running; a real one fails or is requeued.
    if (manager.real) await until(async () => (await server.submission(victim.id)).state !== 'running')
    await power.on(second)
    await until(async () => (await nodesOf()).every(({ state }) => state !== 'down'))
    if ((await server.submission(victim.id)).endedAt === null) await cancel(victim)
  })

  it.each(waits ? ['over'] : [])('ends a job whose wall time is %s', async () => {
    const done = await server.ended(overdue.id)
    expect(done).toMatchObject({ state: 'timed_out', reason: expect.stringMatching(/wall time/i) })
    if (manager.real) expect(await server.output(overdue)).toContain('begins\n')
  })

  it('stops and starts, and no node accepts jobs in between', async () => {
    if (manager.operated === null) {
      // The stop is refused with the reason, and the cluster stays available.
      await server.act(cluster, 'stop')
      const { info } = await server.settled(cluster)
      expect(info).toMatchObject({ state: 'available', cause: expect.stringContaining('operators') })
      return
    }
    await server.act(operated, 'stop')
    expect((await server.settled(operated)).info.state).toBe('stopped')
    await until(async () => (await server.cluster(operated)).nodes.offline === 2)
    const id = await server.job({ script: 'true' })
    const body = { id, cluster: operated }
    const refused = await server.refused(api.jobs.submit, { body }, { token: server.admin })
    expect(refused).toMatchObject({ status: 409, message: expect.stringContaining('stopped') })
    await server.act(operated, 'start')
    expect((await server.settled(operated)).info.state).toBe('available')
    await until(async () => (await server.cluster(operated)).nodes.offline === 0)
  })
}
