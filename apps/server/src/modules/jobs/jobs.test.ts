import { api } from '@flotilla/contract/api'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { QueuedJob } from '@flotilla/contract/clusters/tables'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import { PASSWORD } from '../../../test/support/app'
import { Console, type Person } from '../../../test/support/console'
import { holdTransactions } from '../../../test/support/held-transactions'
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

type Refusal = { message: string; code: string; fields?: Record<string, string> }
const rows = async (): Promise<QueuedJob[]> =>
  (await server.must(api.clusters.queue, { id: machine, query: { limit: 500 } }, { token: server.admin }))
    .rows

it('is deleted or submitted when both are requested at once, never both', async () => {
  for (let round = 0; round < 15; round++) {
    const id = await server.job({ script: 'true' }, ada.token)
    const body = { id, cluster: machine }
    const [submitted, deleted] = await Promise.all([
      server.call('POST', '/api/jobs/submit', { as: ada.token, body }),
      server.call('DELETE', `/api/jobs/${id}`, { as: ada.token }),
    ])
    expect([submitted.status, deleted.status]).toEqual(submitted.status === 201 ? [201, 409] : [404, 200])
  }
})

it('runs as admin only as the admin saw it, when it is someone else’s', async () => {
  const id = await server.job({ script: 'echo harmless' }, ada.token)
  const read = () => server.must(api.jobs.view, { id }, { token: server.admin })
  const { updatedAt } = await read()
  const changed = { id, name: 'changed', data: { script: 'echo harmful' } }
  await server.must(api.jobs.update, { body: changed }, { token: ada.token })
  const submit = (seen?: number) =>
    server.call<Refusal>('POST', '/api/jobs/submit', {
      as: server.admin,
      body: { id, cluster: machine, runAsAdmin: true, ...(seen !== undefined && { seen }) },
    })
  for (const seen of [undefined, updatedAt])
    expect(await submit(seen)).toMatchObject({
      status: 409,
      json: { message: expect.stringContaining('Review it') },
    })
  expect((await submit((await read()).updatedAt)).status).toBe(201)
})

describe('whoever loses the right while they submit', () => {
  const submissionsOf = (id: string) => server.must(api.jobs.submissions, { id }, { token: server.admin })

  it('has submitted nothing, also of what they submitted before', async () => {
    for (const earlier of [0, 1]) {
      const eve = await server.person(`evelyn${earlier}`)
      const body = { id: await server.job({ script: 'true' }, eve.token), cluster: machine }
      const submit = () =>
        server.call<Submission & Refusal>('POST', '/api/jobs/submit', { as: eve.token, body })
      if (earlier > 0) await server.ended((await submit()).json.id, eve.token)
      const held = await holdTransactions(server.databaseUrl)
      const signedOut = server.call('POST', `/api/users/${eve.id}/sign-out`, { as: server.admin })
      await held.waiting(1)
      const late = submit()
      await held.waiting(2)
      await held.release()
      expect((await signedOut).status).toBe(200)
      expect(await late).toMatchObject({ status: 401, json: { code: 'session_ended' } })
      expect(await submissionsOf(body.id)).toHaveLength(earlier)
    }
  })

  it('runs nothing as admin who is none anymore', async () => {
    const deputy = await server.person('deputy', ['admin', 'user'])
    const id = await server.job({ script: 'true' }, deputy.token)
    const held = await holdTransactions(server.databaseUrl)
    const demoted = server.call('PUT', '/api/users/', {
      as: server.admin,
      body: { id: deputy.id, role: ['user'] },
      headers: { admin: 'true' },
    })
    await held.waiting(1)
    const body = { id, cluster: machine, runAsAdmin: true }
    const late = server.call<Refusal>('POST', '/api/jobs/submit', { as: deputy.token, body })
    await held.waiting(2)
    await held.release()
    expect((await demoted).status).toBe(200)
    expect((await late).status).toBe(403)
    expect(await submissionsOf(id)).toEqual([])
  })
})

describe('the admin account of a cluster', () => {
  const submit = async (as: string, more = {}) => {
    const body = { id: await server.job({ script: 'id' }), cluster: machine, runAsAdmin: true, ...more }
    return server.call<Submission & Refusal>('POST', '/api/jobs/submit', { as, body })
  }

  it('is for no access token, whatever its scope', async () => {
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

  it('needs the password within the last 15 minutes, and is on record', async () => {
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

it('says at the field that half a character cannot be stored', async () => {
  const body = { job: { name: 'half', data: { script: 'echo \ud800' } } }
  expect(await server.call('POST', '/api/jobs/', { as: ada.token, body })).toMatchObject({
    status: 400,
    json: { fields: { 'job.data.script': expect.stringContaining('cannot be stored') } },
  })
})

describe('the same key', () => {
  it('submits once, asked twice and asked at once, and answers the same submission', async () => {
    const id = await server.job({ script: 'echo once >> "$HOME/count"' }, ada.token)
    const body = { id, cluster: machine, key: randomUUID() }
    const ask = () => server.must(api.jobs.submit, { body }, { token: ada.token })
    const all = await Promise.all([ask(), ask(), ask(), ask()])
    all.push(await ask())
    const [first] = new Set(all.map((one) => one.id))
    expect(new Set(all.map((one) => one.id)).size).toBe(1)
    await server.ended(first ?? '', ada.token)
    const told = await server.must(api.jobs.submissions, { id }, { token: ada.token })
    expect(told).toHaveLength(1)
    const counted = await server.must(
      api.files.readText,
      { cluster: machine, query: { path: 'count' } },
      { token: ada.token },
    )
    expect(counted.text).toBe('once\n')
  })

  it('is refused for another job, and is not known to anyone else', async () => {
    const key = randomUUID()
    const [one, two] = await Promise.all([
      server.job({ script: 'true' }, ada.token),
      server.job({ script: 'true' }, ada.token),
    ])
    const submit = (id: string, as: string) =>
      server.call<Submission & Refusal>('POST', '/api/jobs/submit', {
        as,
        body: { id, cluster: machine, key },
      })
    const first = await submit(one, ada.token)
    expect(first.status).toBe(201)
    expect(await submit(two, ada.token)).toMatchObject({
      status: 400,
      json: { fields: { key: expect.any(String) } },
    })
    const others = await submit(await server.job({ script: 'true' }), server.admin)
    expect(others.status).toBe(201)
    expect(others.json.id).not.toBe(first.json.id)
  })
})

describe('a job', () => {
  it('is listed with its last submission, changed, cloned manually and removed, but not while it is on a cluster', async () => {
    const id = await server.job({ name: 'Häme 2', script: 'sleep 1000' }, ada.token)
    const [first] = await server.must(api.jobs.list, {}, { token: ada.token })
    expect(first).toMatchObject({ id, name: 'Häme 2', owner: 'adalove', lastSubmission: null })
    const submit = () =>
      server.must(api.jobs.submit, { body: { id, cluster: machine } }, { token: ada.token })
    // The older one runs, the newer one has ended: still it may not be removed.
    const older = await submit()
    const newer = await submit()
    const cancel = (job: string) =>
      server.must(api.jobs.cancel, { body: { job, cluster: machine } }, { token: ada.token })
    await server.reached(newer.id, ['running', 'queued'], ada.token)
    await cancel(newer.id)
    expect(await server.ended(newer.id, ada.token)).toMatchObject({ state: 'canceled' })
    const remove = () => server.call<Refusal>('DELETE', `/api/jobs/${id}`, { as: ada.token })
    expect(await remove()).toMatchObject({ status: 409, json: { code: 'wrong_state' } })
    await cancel(older.id)
    await server.ended(older.id, ada.token)
    const again = await server.call<Refusal>('POST', '/api/jobs/cancel', {
      as: ada.token,
      body: { job: older.id, cluster: machine },
    })
    expect(again).toMatchObject({ status: 409, json: { message: 'The job has already ended (canceled)' } })
    const trail = await server.must(api.activities.list, {}, { token: server.admin })
    expect(trail).toContainEqual(expect.objectContaining({ action: 'job canceled', subject: 'job Häme 2' }))
    expect((await remove()).status).toBe(200)
    expect((await server.call('GET', `/api/jobs/${id}`, { as: ada.token })).status).toBe(404)
  })

  it('comes as a form too, and what is wrong with it is said by field', async () => {
    const form = new FormData()
    form.set('job', JSON.stringify({ name: 'by form', data: { script: 'echo form' } }))
    const made = await fetch(`${server.url}/api/jobs/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}` },
      body: form,
    })
    expect(made.status).toBe(201)
    const bad = { name: 'x', data: { script: '#!bash\n', walltime: '1 hour', cores: 0, array: '1..3' } }
    const { status, json } = await server.call<Refusal>('POST', '/api/jobs/', {
      as: ada.token,
      body: { job: bad },
    })
    expect(status).toBe(400)
    expect(Object.keys(json.fields ?? {}).toSorted()).toEqual([
      'job.data.array',
      'job.data.cores',
      'job.data.script',
      'job.data.walltime',
      'job.name',
    ])
  })

  it('says in the queue whose it is, and the outputs are null when there are none', async () => {
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
    await server.must(
      api.jobs.cancel,
      { body: { job: submitted.id, cluster: machine } },
      { token: ada.token },
    )
    await server.ended(submitted.id, ada.token)
  })
})

describe('the output', () => {
  it('is read by piece, from the end unless told otherwise, downloaded and deleted', async () => {
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

    const file = await server.call<string>('GET', `/api/jobs/downloadOutput/${jobId}/${id}/output.txt`, {
      as: ada.token,
    })
    expect(file.headers.get('content-type')).toContain('text/plain')
    expect(file.headers.get('content-disposition')).toContain('Lines-output.txt')
    expect(file.json).toHaveLength(588_895)

    for (const name of ['../output.txt', '..%2Foutput.txt', '%2Fetc%2Fpasswd', 'none.txt', 'folder'])
      expect(
        (await server.call('GET', `/api/jobs/output/${jobId}/${id}/${name}`, { as: ada.token })).status,
        name,
      ).toBe(404)

    await server.must(api.jobs.deleteOutput, { id: jobId, body: { jobs: [id] } }, { token: ada.token })
    // Twice does no harm.
    await server.must(api.jobs.deleteOutput, { id: jobId, body: { jobs: [id] } }, { token: ada.token })
    expect(await server.must(api.jobs.outputs, { id: jobId }, { token: ada.token })).toBeNull()
    await expect(piece({})).rejects.toMatchObject({ status: 404 })
  })

  it('that is a link out of its folder, or no text, does no harm', async () => {
    const script =
      'ln -s /etc/passwd out.txt; head -c 70000 /dev/urandom > bytes.txt; printf "\\000\\377" >> bytes.txt'
    const submitted = await server.submit(machine, { script }, ada.token)
    await server.ended(submitted.id, ada.token)
    const at = `/api/jobs/output/${submitted.jobId}/${submitted.id}`
    expect((await server.call('GET', `${at}/out.txt`, { as: ada.token })).status).toBe(404)
    const { json } = await server.call<{ binary: boolean; next: number }>('GET', `${at}/bytes.txt?from=0`, {
      as: ada.token,
    })
    expect(json).toMatchObject({ binary: true, next: 70_002 })
    const outputs = await server.must(api.jobs.outputs, { id: submitted.jobId }, { token: ada.token })
    expect(outputs?.map(({ file }) => file)).not.toContain('out.txt')
  })

  it('of a gigabyte is read from its end and its middle without being read as a whole', async () => {
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
  it('is the script as each resource manager gets it', async () => {
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
