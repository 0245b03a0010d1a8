import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { QueuedJob } from '@flotilla/contract/clusters/tables'
import { Console, type Person } from '../../../test/support/console/console'
import { until } from '../../../test/support/until'

let server: Console
let machine: string
let ada: Person
beforeAll(async () => {
  server = await Console.start()
  machine = await server.thisMachine()
  ada = await server.person('adalove')
})
afterAll(() => server.stop())

const rows = async (): Promise<QueuedJob[]> =>
  (await server.must(api.clusters.queue, { id: machine, query: { limit: 500 } }, { token: server.admin }))
    .rows

it('reports at the field that an unpaired surrogate cannot be stored', async () => {
  const body = { name: 'half', data: { script: 'echo \ud800' } }
  expect(await server.refused(api.jobs.create, { body }, { token: ada.token })).toMatchObject({
    status: 400,
    fields: { 'data.script': expect.stringContaining('cannot be stored') },
  })
})

describe('a job', () => {
  it('is listed with its last submission, changed, cloned manually and removed, but not while it is on a cluster', async () => {
    const id = await server.job({ name: 'Häme 2', script: 'sleep 1000' }, ada.token)
    const [first] = await server.must(api.jobs.list, {}, { token: ada.token })
    expect(first).toMatchObject({ id, name: 'Häme 2', owner: 'adalove', lastSubmission: null })
    const submit = () =>
      server.must(api.jobs.submit, { body: { id, cluster: machine } }, { token: ada.token })
    // The older submission is running and the newer one has ended, so the job may not be removed yet.
    const older = await submit()
    const newer = await submit()
    const cancel = (job: string) =>
      server.must(api.jobs.cancel, { body: { job, cluster: machine } }, { token: ada.token })
    await server.reached(newer.id, ['running', 'queued'], ada.token)
    await cancel(newer.id)
    expect(await server.ended(newer.id, ada.token)).toMatchObject({ state: 'canceled' })
    expect(await server.refused(api.jobs.remove, { id }, { token: ada.token })).toMatchObject({
      status: 409,
      code: 'wrong_state',
    })
    await cancel(older.id)
    await server.ended(older.id, ada.token)
    const again = await server.refused(
      api.jobs.cancel,
      { body: { job: older.id, cluster: machine } },
      { token: ada.token },
    )
    expect(again).toMatchObject({ status: 409, message: 'The job has already ended (canceled)' })
    const trail = await server.must(api.activities.list, {}, { token: server.admin })
    expect(trail).toContainEqual(expect.objectContaining({ action: 'job canceled', subject: 'job Häme 2' }))
    await server.must(api.jobs.remove, { id }, { token: ada.token })
    expect((await server.refused(api.jobs.view, { id }, { token: ada.token })).status).toBe(404)
  })

  it('can also be sent as a form, and errors are reported by field', async () => {
    const form = new FormData()
    form.set('job', JSON.stringify({ name: 'by form', data: { script: 'echo form' } }))
    const made = await fetch(server.url + api.jobs.create.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}` },
      body: form,
    })
    expect(made.status).toBe(201)
    const bad = { name: 'x', data: { script: '#!bash\n', walltime: '1 hour', cores: 0, array: '1..3' } }
    const { status, fields } = await server.refused(api.jobs.create, { body: bad }, { token: ada.token })
    expect(status).toBe(400)
    expect(Object.keys(fields).toSorted()).toEqual([
      'data.array',
      'data.cores',
      'data.script',
      'data.walltime',
      'name',
    ])
  })

  it('that is an array keeps a state for each of its tasks, even long after they ended', async () => {
    const script = 'exit $(( SLURM_ARRAY_TASK_ID % 3 == 0 ))'
    const submitted = await server.submit(machine, { script, array: '1-12' }, ada.token)
    await server.ended(submitted.id, ada.token)
    const tasks = await server.must(api.jobs.tasks, { id: submitted.id }, { token: ada.token })
    expect(tasks).toEqual([
      { state: 'failed', count: 4, tasks: '3-12:3' },
      { state: 'completed', count: 8, tasks: '1-2,4-5,7-8,10-11' },
    ])
    const bob = await server.person('bobjones')
    const refused = await server.refused(api.jobs.tasks, { id: submitted.id }, { token: bob.token })
    expect(refused.status).toBe(404)
  })

  it('is shown in the queue with its owner, and its outputs are null if there are none', async () => {
    const id = await server.job({ script: 'sleep 1000' }, ada.token)
    expect(await server.must(api.jobs.outputs, { id }, { token: ada.token })).toBeNull()
    const submitted = await server.must(
      api.jobs.submit,
      { body: { id, cluster: machine } },
      { token: ada.token },
    )
    const row = await until(async () =>
      (await rows()).find(({ submissionId }) => submissionId === submitted.id),
    )
    expect(row).toMatchObject({ user: 'adalove', jobId: id })
    const others = await server.must(
      api.clusters.queue,
      { id: machine, query: {} },
      { token: (await server.person('stranger')).token },
    )
    expect(
      others.rows.find((job) => job.id === row.id),
      'its mark is not shown',
    ).toMatchObject({
      user: 'adalove',
      submissionId: null,
      jobId: null,
    })
    await server.must(
      api.jobs.cancel,
      { body: { job: submitted.id, cluster: machine } },
      { token: ada.token },
    )
    await server.ended(submitted.id, ada.token)
  })
})

describe('the output', () => {
  it('is read in pieces, by default from the end, downloaded and deleted', async () => {
    const submitted = await server.submit(
      machine,
      { name: 'Lines', script: 'seq 1 100000; touch other.txt .hidden; mkdir folder' },
      ada.token,
    )
    await server.ended(submitted.id, ada.token)
    const { id, jobId } = submitted
    const outputs = await server.must(api.jobs.outputs, { id: jobId }, { token: ada.token })
    expect(outputs?.map(({ file }) => file).toSorted()).toEqual(['other.txt', 'output.txt'])
    const piece = (query: { from?: number; limit?: number }) =>
      server.must(
        api.jobs.output,
        { job: jobId, submission: id, file: 'output.txt', query },
        { token: ada.token },
      )
    expect(await piece({ limit: 14 })).toMatchObject({
      text: '99999\n100000\n'.padStart(14, '\n'),
      next: 588_895,
      size: 588_895,
      running: false,
    })
    expect(await piece({ from: 0, limit: 4 })).toMatchObject({ text: '1\n2\n', from: 0, next: 4 })
    expect(await piece({ from: 999_999_999 })).toMatchObject({ text: '', from: 588_895 })
    expect(await piece({ from: -5, limit: 2 })).toMatchObject({ text: '1\n' })
    expect(await piece({ from: 0.5, limit: 2 })).toMatchObject({ text: '1\n' })

    const file = await server.answer(
      api.jobs.downloadOutput,
      { job: jobId, submission: id, file: 'output.txt' },
      { token: ada.token },
    )
    expect(file.headers.get('content-type')).toContain('text/plain')
    expect(file.headers.get('content-disposition')).toContain('Lines-output.txt')
    expect(file.json).toHaveLength(588_895)

    for (const name of ['../output.txt', '..%2Foutput.txt', '%2Fetc%2Fpasswd', 'none.txt', 'folder'])
      expect(
        (
          await server.refused(
            api.jobs.output,
            { job: jobId, submission: id, file: name },
            { token: ada.token },
          )
        ).status,
        name,
      ).toBe(404)

    await server.must(api.jobs.deleteOutput, { id: jobId, body: { jobs: [id] } }, { token: ada.token })
    // Deleting it again has no effect.
    await server.must(api.jobs.deleteOutput, { id: jobId, body: { jobs: [id] } }, { token: ada.token })
    expect(await server.must(api.jobs.outputs, { id: jobId }, { token: ada.token })).toBeNull()
    await expect(piece({})).rejects.toMatchObject({ status: 404 })
  })

  it('is searched completely, page by page, by users who may read it', async () => {
    const script = 'seq -f "value %.0f" 1 300000; echo "srun: ERROR: no license"; printf "the end"'
    const submitted = await server.submit(machine, { script }, ada.token)
    await server.ended(submitted.id, ada.token)
    const at = { job: submitted.jobId, submission: submitted.id, file: 'output.txt' }
    const search = (query: object, token = ada.token) =>
      server.must(api.jobs.searchOutput, { ...at, query }, { token })
    expect(await search({ text: 'VALUE 299999' })).toMatchObject({
      matches: [{ line: 299_999, text: 'value 299999', at: 0, length: 12 }],
      done: true,
    })
    expect((await search({ errors: 'true' })).matches).toMatchObject([
      { line: 300_001, text: 'srun: ERROR: no license', at: 6 },
    ])
    const first = await search({ text: 'value' })
    expect([first.matches.length, first.matches.at(-1)?.line, first.done]).toEqual([100, 100, false])
    const second = await search({ text: 'value', from: first.next, line: first.nextLine })
    expect(second.matches[0]).toMatchObject({ line: 101, text: 'value 101' })
    expect(await search({ text: 'value', from: 10_000_000 })).toMatchObject({ restarted: true, next: 0 })
    const refused = async (query: object, token = ada.token) => {
      const { status, fields } = await server.refused(api.jobs.searchOutput, { ...at, query }, { token })
      return [status, fields]
    }
    expect(await refused({})).toEqual([400, { text: 'Enter text to search for' }])
    expect(await refused({ text: 'a\nb' })).toEqual([400, { text: 'Enter a single line of text' }])
    expect(await refused({ text: 'x'.repeat(201), from: -1 })).toEqual([
      400,
      { text: 'Max character length is 200', from: expect.any(String) },
    ])
    const bob = await server.person('bobsmith')
    expect(await refused({ text: 'value' }, bob.token)).toEqual([404, {}])
  })

  it('that is a link out of its folder or binary does no harm', async () => {
    const script =
      'ln -s /etc/passwd out.txt; head -c 70000 /dev/urandom > bytes.txt; printf "\\000\\377" >> bytes.txt'
    const submitted = await server.submit(machine, { script }, ada.token)
    await server.ended(submitted.id, ada.token)
    const at = { job: submitted.jobId, submission: submitted.id }
    const link = await server.refused(api.jobs.output, { ...at, file: 'out.txt' }, { token: ada.token })
    expect(link.status).toBe(404)
    const bytes = { ...at, file: 'bytes.txt', query: { from: 0 } }
    expect(await server.must(api.jobs.output, bytes, { token: ada.token })).toMatchObject({
      binary: true,
      next: 70_002,
    })
    const outputs = await server.must(api.jobs.outputs, { id: submitted.jobId }, { token: ada.token })
    expect(outputs?.map(({ file }) => file)).not.toContain('out.txt')
  })

  it('of a gigabyte is read from its end and its middle without reading the whole file', async () => {
    const script =
      'truncate -s 1G output.big; printf middle | dd of=output.big bs=1 seek=500000000 conv=notrunc; printf end >> output.big'
    const submitted = await server.submit(machine, { script }, ada.token)
    await server.ended(submitted.id, ada.token)
    const file = { job: submitted.jobId, submission: submitted.id, file: 'output.big' }
    const text = async (query: { from?: number; limit: number }) =>
      (await server.must(api.jobs.output, { ...file, query }, { token: ada.token })).text
    expect(await text({ limit: 3 })).toBe('end')
    expect(await text({ from: 500_000_000, limit: 6 })).toBe('middle')
    await server.must(
      api.jobs.deleteOutput,
      { id: submitted.jobId, body: { jobs: [submitted.id] } },
      { token: ada.token },
    )
  })
})

describe('the preview', () => {
  it('is the script in the format of each resource manager', async () => {
    const job = {
      name: 'Look',
      data: {
        script: '#!/bin/bash\necho hi',
        nodes: 2,
        cores: 3,
        gpus: 1,
        walltime: '01:02:03',
        array: '1-4',
      },
    }
    const of = async (manager: 'slurm' | 'torque' | 'none') =>
      (await server.must(api.jobs.preview, { body: job, beside: { manager } }, { token: ada.token })).script
    expect(await of('slurm')).toMatch(
      /^#!\/bin\/bash\n#SBATCH --job-name=Look\n[\s\S]*--ntasks-per-node=3[\s\S]*--array=1-4[\s\S]*echo hi/,
    )
    expect(await of('torque')).toMatch(
      /^#!\/bin\/bash\n#PBS -N Look\n#PBS -l nodes=2:ppn=3:gpus=1\n[\s\S]*echo hi/,
    )
    expect(await of('none')).toMatch(/^#!\/bin\/bash\n# Name: Look\n[\s\S]*echo hi/)
  })
})
