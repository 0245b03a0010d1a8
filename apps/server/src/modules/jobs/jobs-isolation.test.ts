import { jobOutput } from '@flotilla/contract/jobs/output'
import { terminals } from '@flotilla/contract/clusters/terminal'
import { api } from '@flotilla/contract/api'
import { readdirSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import { BrowserSocket } from '../../../test/support/console/browser-socket'
import { Console, type Person } from '../../../test/support/console/console'
import { NOBODY, rootModes } from '../../../test/support/root-modes'
import { variants } from '../../../test/support/soak'
import { until } from '../../../test/support/until'

/** The machine's process that has this word as its first argument. */
const processWith = (word: string): number =>
  Number(
    readdirSync('/proc').find((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === word
      } catch {
        return false
      }
    }) ?? 0,
  )

describe.each(variants(rootModes))('%s, a job', (way, before) => {
  let dataDir: string
  let server: Console
  let machine: string
  let ada: Person
  let eve: Person
  let secret: Submission
  let home: string
  let pid: number
  /** The commands that Eve tries; none of them may print the secret word. */
  let attempts: string
  const mark = `${1000 + Math.random()}`

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-isolation-'))
    if (before.length > 0) await chown(dataDir, NOBODY, NOBODY)
    server = await Console.start({ before, dataDir })
    machine = await server.thisMachine()
    ada = await server.person('adalove')
    eve = await server.person('evelyn')
    secret = await server.submit(
      machine,
      { name: 'secret', script: `echo sesame; export S=sesame; exec sleep ${mark}` },
      ada.token,
    )
    await server.wrote(secret, /^sesame\n$/, ada.token)
    home = (await server.must(api.files.list, { cluster: machine }, { token: ada.token })).area
    pid = await until(() => processWith(mark))
    attempts = [
      `cat ${dataDir}/master.key ${dataDir}/first-password ${dataDir}/clusters/*/spool/*`,
      `ls -la ${dataDir}/ ${dataDir}/clusters`,
      `cat ${home}/flotilla/*/output.txt; ls ${home} ${path.dirname(home)}`,
      `cat ${home}/flotilla/secret-${secret.id}/output.txt`,
      `echo changed > ${home}/flotilla/secret-${secret.id}/output.txt`,
      `touch ${home}/was-here ${dataDir}/was-here`,
      `tr '\\0' '\\n' < /proc/${pid}/environ; cat /proc/${pid}/root/etc/hostname /proc/*/environ | tr '\\0' '\\n' | grep -a sesame`,
      `cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'`,
      `kill -9 ${pid}; kill -9 -- -${pid}; kill -9 ${server.pid}`,
      `cat /proc/${server.pid}/environ /proc/${server.pid}/root${dataDir}/master.key`,
      `echo changed > ${path.join(import.meta.dirname, 'was-here')}`,
    ].join('\n')
  })
  afterAll(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const unharmed = async () => {
    expect(processWith(mark)).toBe(pid)
    expect(await server.output(secret, 'output.txt', ada.token)).toBe('sesame\n')
    const { entries } = await server.must(api.files.list, { cluster: machine }, { token: ada.token })
    expect(entries.map(({ name }) => name)).toEqual(['flotilla'])
    expect(readdirSync(dataDir)).not.toContain('was-here')
    expect(readdirSync(import.meta.dirname)).not.toContain('was-here')
    expect((await server.submission(secret.id, ada.token)).state).toBe('running')
  }

  it("can neither read nor change the server's data or another user's output and processes", async () => {
    const script = `${attempts}\necho "I am $(id -u)"; echo done`
    const tried = await server.submit(machine, { name: 'tries', script }, eve.token)
    expect(await server.ended(tried.id, eve.token)).toMatchObject({ state: 'completed' })
    const output = await server.output(tried, 'output.txt', eve.token)
    expect(output).toContain('done\n')
    // Error messages repeat the commands, so only a line that consists of the secret counts.
    expect(output).not.toMatch(/^(S=)?sesame$/m)
    expect(output).not.toMatch(/master\.key$/m)
    expect(output).not.toContain('ADMIN_PASSWORD')
    expect(output, "another user's process").not.toContain(mark)
    expect(/I am (\d+)/.exec(output)?.[1]).not.toBe('0')
    await unharmed()
  })

  it('is isolated in the same way if it is a terminal', async () => {
    const browser = await BrowserSocket.open(server.url, eve.token)
    const terminal = await browser.terminal(machine)
    await browser.call(terminals.input, {
      terminal,
      data: `${attempts.replaceAll('\n', ' ; ')} ; echo "at the" end in $PWD\n`,
    })
    const end = await until(() => /at the end in (\S+)/.exec(browser.written(terminal)))
    const own = await server.must(api.files.list, { cluster: machine }, { token: eve.token })
    expect(end[1]).toBe(own.area)
    const written = browser.written(terminal).replaceAll('\r', '')
    expect(written).not.toMatch(/^(S=)?sesame$/m)
    expect(written).not.toContain('ADMIN_PASSWORD')
    expect(written, "another user's process").not.toContain(mark)
    await browser.call(terminals.close, { terminal })
    browser.socket.disconnect()
    await unharmed()
  })

  it('cannot be seen, canceled or submitted by another user, nor can its files be read', async () => {
    const { id, jobId } = secret
    const as = { token: eve.token }
    const file = { job: jobId, submission: id, file: 'output.txt' }
    const reads = await Promise.all([
      server.refused(api.jobs.view, { id: jobId }, as),
      server.refused(api.jobs.submissions, { id: jobId }, as),
      server.refused(api.jobs.submission, { id }, as),
      server.refused(api.jobs.outputs, { id: jobId }, as),
      server.refused(api.jobs.output, file, as),
      server.refused(api.jobs.downloadOutput, file, as),
    ])
    expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 404))
    const edited = { id: jobId, name: 'eves', data: { script: 'true' } }
    const scoped = { ...as, admin: true }
    const changes = await Promise.all([
      server.refused(api.jobs.cancel, { body: { job: id, cluster: machine } }, scoped),
      server.refused(api.jobs.submit, { body: { id: jobId, cluster: machine } }, scoped),
      server.refused(api.jobs.update, { body: edited }, scoped),
      server.refused(api.jobs.remove, { id: jobId }, scoped),
      server.refused(api.jobs.deleteOutput, { id: jobId, body: { jobs: [id] } }, scoped),
    ])
    expect(changes.map(({ status }) => status)).toEqual(changes.map(() => 404))
    // Her own job does not give her access to the other user's output either.
    const own = await server.job({ script: 'true' }, eve.token)
    expect(
      (
        await server.refused(
          api.jobs.output,
          { job: own, submission: id, file: 'output.txt' },
          { token: eve.token },
        )
      ).status,
    ).toBe(404)
    const mine = await server.must(api.jobs.list, {}, { token: eve.token })
    expect(mine.map((job) => job.id)).not.toContain(jobId)
    const browser = await BrowserSocket.open(server.url, eve.token)
    await browser.call(jobOutput.follow, {
      follow: 'f',
      job: jobId,
      submission: id,
      file: 'output.txt',
      from: 0,
    })
    await until(() => browser.of('outputEnd').length === 1)
    expect(browser.of('output')).toEqual([])
    browser.socket.disconnect()
    // Only admins can run it as admin, and an admin can see it but needs the admin scope to change it.
    const asAdmin = await server.refused(
      api.jobs.submit,
      { body: { id: own, cluster: machine, runAsAdmin: true } },
      { token: eve.token },
    )
    expect(asAdmin).toMatchObject({ status: 403, message: expect.stringContaining('admin') })
    expect(await server.output(secret)).toBe('sesame\n')
    expect(
      await server.refused(api.jobs.cancel, { body: { job: id, cluster: machine } }, { token: server.admin }),
    ).toMatchObject({ status: 403, code: 'admin_scope_needed' })
    await unharmed()
  })

  it('runs as the server itself if an admin chose that', async () => {
    const submitted = await server.submit(machine, { script: 'id -u' }, server.admin, { runAsAdmin: true })
    await server.ended(submitted.id)
    expect(await server.output(submitted)).toBe(
      `${way === 'under root' ? 0 : before.length > 0 ? NOBODY : process.getuid?.()}\n`,
    )
  })
})
