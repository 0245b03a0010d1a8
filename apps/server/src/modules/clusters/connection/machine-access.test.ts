import { terminals } from '@flotilla/contract/clusters/terminal'
import { api } from '@flotilla/contract/api'
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SecuritySettings } from '@flotilla/contract/site/settings'
import { machineBlocked } from '@flotilla/contract/site/ui'
import { BrowserSocket } from '../../../../test/support/console/browser-socket'
import { makeCloudCluster, untilState } from '../../../../test/support/console/cloud'
import { newPerson } from '../../../../test/support/app/app'
import { Console, type Person } from '../../../../test/support/console/console'
import { NOBODY, rootModes } from '../../../../test/support/root-modes'
import { listenAs } from '../../../../test/support/app/server'
import { variants, soakIt } from '../../../../test/support/soak'
import { until } from '../../../../test/support/until'

describe.each(variants(rootModes))('%s, someone who registered themselves', (_mode, before) => {
  let dataDir: string
  let server: Console
  let machine: string
  let inCloud: string
  let eve: Person
  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-access-'))
    if (before.length > 0) await chown(dataDir, NOBODY, NOBODY)
    server = await Console.start({ before, dataDir, env: { CLOUD: 'simulated' } })
    machine = await server.thisMachine()
    eve = await register('evelyn')
    const { id } = await makeCloudCluster(server, 'aws')
    inCloud = id
    await server.act(id, 'deploy')
    await untilState(server, id, 'available')
    const body = { id, collaborators: ['evelyn'] }
    await server.must(api.clusters.collaborators, { body }, { token: server.admin })
  })
  afterAll(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
  })

  const register = async (username: string): Promise<Person> => {
    const { role: _role, ...form } = newPerson(username, [])
    await server.must(api.auth.register, { body: form })
    const token = await server.login(username)
    const { user } = await server.must(api.auth.refresh, {}, { token })
    return { id: user.id, username, token }
  }
  const set = (selfRegisteredAccess: SecuritySettings['selfRegisteredAccess'] | null) =>
    server.must(api.settings.setSecurity, { body: { selfRegisteredAccess } }, { token: server.admin })
  const approve = (approved: boolean, ...ids: string[]) =>
    server.answer(api.users.approve, { body: { ids, approved } }, { token: server.admin })
  const ui = (as: string) => server.must(api.ui.settings, {}, { token: as })
  const changes = (listener: Awaited<ReturnType<typeof listenAs>>) =>
    listener.received.map(({ data }) => data.changed)

  /** Tries everything that runs on this machine as the person's own account, and returns the result of each attempt. */
  const everything = async ({ token: as }: Person, cluster: string): Promise<string[]> => {
    const job = await server.job({ script: 'echo in' }, as)
    const submitted = await server.answer(api.jobs.submit, { body: { id: job, cluster } }, { token: as })
    const files = await server.answer(api.files.list, { cluster }, { token: as })
    const written = await server.answer(
      api.files.writeText,
      { cluster, body: { path: 'planted', text: 'x' } },
      { token: as },
    )
    const browser = await BrowserSocket.open(server.url, as)
    const terminal = await browser.call(terminals.open, { cluster, cols: 80, rows: 24 })
    browser.socket.disconnect()
    const { submitBlockedReason, accountBlockedReason } = await server.cluster(cluster, as)
    return [
      ...[submitted, files, written].map(({ status, json }) =>
        status < 300 ? 'done' : (json.message ?? ''),
      ),
      terminal.ok ? 'done' : (terminal.message ?? ''),
      submitBlockedReason ?? 'done',
      accountBlockedReason ?? 'done',
    ]
  }
  const all = (answer: string) => Array.from({ length: 6 }, () => answer)

  it('can use this machine right away if only this machine can connect to the server', async () => {
    expect((await ui(eve.token)).machineAccess).toBe('allowed')
    expect(await everything(eve, machine)).toEqual(all('done'))
  })

  it('waits for an admin if the setting requires it; the admin is notified and approves with one click', async () => {
    const [admin, page] = [await listenAs(server.url, server.admin), await listenAs(server.url, eve.token)]
    await set('after-approval')
    await until(() => changes(page).includes('settings'))
    for (const cluster of [machine, inCloud])
      expect(await everything(eve, cluster)).toEqual(all(machineBlocked.waiting))
    expect((await ui(eve.token)).machineAccess).toBe('waiting')
    expect((await ui(eve.token)).waitingForApproval).toBe(0)
    expect((await ui(server.admin)).waitingForApproval).toBe(1)

    const frank = await register('frank')
    await until(() => changes(admin).includes('users'))
    expect((await ui(server.admin)).waitingForApproval).toBe(2)
    const waiting = await server.must(
      api.users.list,
      { query: { unapproved: 'true' } },
      { token: server.admin },
    )
    expect(waiting.map(({ username }) => username)).toEqual(['frank', 'evelyn'])

    page.received.length = 0
    expect(await approve(true, eve.id, frank.id)).toMatchObject({
      status: 200,
      json: [
        { username: 'evelyn', approvedBy: 'admin', approvedAt: expect.any(Number) },
        { username: 'frank', approvedBy: 'admin' },
      ],
    })
    await until(() => changes(page).includes('settings'))
    for (const { socket } of [admin, page]) socket.disconnect()
    expect((await ui(server.admin)).waitingForApproval).toBe(0)
    for (const cluster of [machine, inCloud]) expect(await everything(eve, cluster)).toEqual(all('done'))
    const mailed = async () => {
      const folder = path.join(dataDir, 'mail')
      // A file that is still being written has another extension.
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'))
      return Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
    }
    await until(async () => (await mailed()).some((text) => /evelyn@[^]*was approved/.test(text)))
  })

  it('loses terminals immediately when the approval is revoked; jobs continue until an admin cancels them', async () => {
    const job = await server.submit(machine, { script: 'echo here; sleep 1000' }, eve.token)
    await server.wrote(job, /here/, eve.token)
    await server.reached(job.id, ['running'], eve.token)
    const browser = await BrowserSocket.open(server.url, eve.token)
    const terminal = await browser.terminal(machine)
    await approve(false, eve.id)
    await until(() => browser.of('terminalEnd').some((end) => end.terminal === terminal))
    browser.socket.disconnect()
    expect(await everything(eve, machine)).toEqual(all(machineBlocked.waiting))
    const running = await server.submission(job.id, eve.token)
    expect(running.state).toBe('running')
    await server.must(
      api.clusters.operateJobs,
      { id: machine, operation: 'cancel', body: { jobs: [running.nativeId ?? ''] } },
      { token: server.admin, admin: true },
    )
    expect((await server.ended(job.id, eve.token)).state).toBe('canceled')
  })

  it('has submissions in flight stopped when the approval is revoked', async () => {
    const job = await server.job({ script: 'echo in' }, eve.token)
    await server.sql(
      `insert into submissions (id, job_id, job_name, cluster_id, cluster_name, user_id, submitted_by, run_as_admin,
         account, state, submitted_at, data, folder)
       select 'on-its-way', id, name, $2, 'This machine', owner_id, 'evelyn', false, 'evelyn', 'submitting',
         date_trunc('second', now()) - interval '1 minute', data, 'flotilla/on-its-way' from jobs where id = $1`,
      [job, machine],
    )
    const ended = await server.ended('on-its-way', eve.token)
    expect(ended).toMatchObject({ state: 'failed', reason: machineBlocked.waiting, nativeId: null })
  })

  it('cannot add a key to their account on this machine, not even on their own cluster', async () => {
    await server.sql('update clusters set owner_id = $1 where id = $2', [eve.id, inCloud])
    // The call also accepts a form.
    const body = new FormData()
    body.append('sshKey', `ssh-ed25519 ${'A'.repeat(68)} eve`)
    body.append('targetUsername', 'evelyn')
    const headers = { authorization: `Bearer ${eve.token}` }
    const route = api.clusters.uploadSshKey.path.replace(':id', inCloud)
    const answer = await fetch(server.url + route, { method: 'POST', headers, body })
    expect(await answer.json()).toMatchObject({ code: 'no_account', message: machineBlocked.waiting })
  })

  soakIt(
    'cannot wait for approval where no one is allowed, unless an admin approves them anyway',
    async () => {
      await set('never')
      expect((await ui(eve.token)).machineAccess).toBe('refused')
      expect((await ui(server.admin)).waitingForApproval).toBe(0)
      expect(await everything(eve, machine)).toEqual(all(machineBlocked.refused))
      await approve(true, eve.id)
      expect(await everything(eve, machine)).toEqual(all('done'))
      await approve(false, eve.id)
    },
  )

  soakIt('loses terminals immediately when the setting excludes them', async () => {
    await set('immediately')
    const browser = await BrowserSocket.open(server.url, eve.token)
    const terminal = await browser.terminal(machine)
    await set('never')
    await until(() => browser.of('terminalEnd').some((end) => end.terminal === terminal))
    expect(await everything(eve, machine)).toEqual(all(machineBlocked.refused))
    browser.socket.disconnect()
  })

  soakIt('is approved by a role that only an admin can assign', async () => {
    await set('after-approval')
    const become = (role: ('instructor' | 'user')[]) =>
      server.must(api.users.update, { body: { id: eve.id, role } }, { token: server.admin, admin: true })
    await become(['instructor', 'user'])
    expect(await everything(eve, machine)).toEqual(all('done'))
    await become(['user'])
    expect(await everything(eve, machine)).toEqual(all('done'))
  })

  it('cannot approve themselves, and only those who registered can be approved', async () => {
    const grace = await register('grace')
    const ada = await server.person('adalove')
    const body = { ids: [grace.id], approved: true }
    for (const { token } of [grace, ada])
      expect((await server.refused(api.users.approve, { body }, { token })).status).toBe(403)
    for (const field of ['registered', 'approvedAt', 'approved_at', 'approvedBy'])
      await server.must(api.auth.update, { body: { [field]: 1 } }, { token: grace.token })
    expect(await everything(grace, machine)).toEqual(all(machineBlocked.waiting))
    expect(await everything(ada, machine)).toEqual(all('done'))
    expect((await approve(true, ada.id, grace.id)).status).toBe(400)
    expect((await approve(true, grace.id, 'nobody')).status).toBe(404)
    expect(await everything(grace, machine)).toEqual(all(machineBlocked.waiting))
  })
})

soakIt('the activities of this machine are shown only to admins and to the person they concern', async () => {
  const server = await Console.start()
  try {
    const machine = await server.thisMachine()
    const [ada, bob] = [await server.person('adalove'), await server.person('bobby')]
    await server.submit(machine, { name: 'secret-plan', script: 'true' }, ada.token)
    await server.submit(machine, { name: 'other-plan', script: 'true' }, bob.token)
    const seen = async (as: string) =>
      (await server.must(api.clusters.activities, { id: machine }, { token: as })).map(
        ({ actor, detail }) => `${actor} ${detail}`,
      )
    expect(await seen(ada.token)).toEqual(['adalove secret-plan'])
    expect(await seen(bob.token)).toEqual(['bobby other-plan'])
    const everything = await seen(server.admin)
    expect(everything).toEqual(expect.arrayContaining(['adalove secret-plan', 'bobby other-plan']))
    // Pages contain only what the person may see.
    const paged = await server.must(
      api.clusters.activities,
      { id: machine, query: { limit: 1, cursor: `${Date.now()}_999999` } },
      { token: bob.token },
    )
    expect(paged).toMatchObject([{ actor: 'bobby' }])
    const shown = await server.must(api.clusters.view, { id: machine }, { token: bob.token })
    expect(JSON.stringify(shown)).not.toContain('adalove')
  } finally {
    await server.stop()
  }
})
