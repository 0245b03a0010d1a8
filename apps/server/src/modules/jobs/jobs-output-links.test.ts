import { jobOutput } from '@flotilla/contract/jobs/output'
import { api } from '@flotilla/contract/api'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Submission } from '@flotilla/contract/jobs/jobs'
import { BrowserSocket } from '../../../test/support/console/browser-socket'
import { Console, type Person } from '../../../test/support/console/console'
import { personFiles } from '../../../test/support/console/person-files'
import { NOBODY, rootModes } from '../../../test/support/root-modes'
import { soaking, variants, soakIt } from '../../../test/support/soak'
import { until } from '../../../test/support/until'

const READS = soaking ? 150 : 30

// Attacks that a job can make through its output folder, each against the whole running console.
describe.each(variants(rootModes))('%s, job output', (_way, before) => {
  let dataDir: string
  let server: Console
  let machine: string
  let ada: Person
  let key: string

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-links-'))
    if (before.length > 0) await chown(dataDir, NOBODY, NOBODY)
    server = await Console.start({ before, dataDir })
    machine = await server.thisMachine()
    ada = await server.person('adalove')
    key = readFileSync(path.join(dataDir, 'master.key'), 'latin1')
  })
  afterAll(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  /** Asserts that the console's files are unchanged and that it works. */
  const unharmed = async () => {
    expect(readFileSync(path.join(dataDir, 'master.key'), 'latin1')).toBe(key)
    for (const name of ['homes', 'clusters']) expect(existsSync(path.join(dataDir, name)), name).toBe(true)
    expect(readdirSync(dataDir)).not.toContain('was-here')
    expect(existsSync('/etc/passwd')).toBe(true)
  }
  const run = async (script: string, as = ada, more: object = {}, cluster = machine) => {
    const submitted = await server.submit(cluster, { name: 'links', script }, as.token, more)
    await server.ended(submitted.id, as.token)
    return submitted
  }
  /** Submits a job whose output grows until it is canceled. */
  const grow = (as: Person, more: object = {}, cluster = machine) => {
    const job = { name: 'grows', script: 'while sleep 0.1; do echo line; done' }
    return server.submit(cluster, job, as.token, more)
  }
  const output = ({ id, jobId }: Submission, file: string, as: Person | string) =>
    server.answer(
      api.jobs.output,
      { job: jobId, submission: id, file, query: { from: 0 } },
      { token: typeof as === 'string' ? as : as.token },
    )
  /** All calls that read the output of a submission. */
  const reads = ({ id, jobId }: Submission, file: string, { token }: Person) => {
    const at = { job: jobId, submission: id, file }
    return Promise.all([
      server.answer(api.jobs.output, at, { token }),
      server.answer(api.jobs.downloadOutput, at, { token }),
      server.answer(api.jobs.searchOutput, { ...at, query: { text: 'e' } }, { token }),
      server.answer(api.jobs.outputs, { id: jobId }, { token }),
    ])
  }
  const remove = ({ id, jobId }: Submission, as: Person | string) =>
    server.answer(
      api.jobs.deleteOutput,
      { id: jobId, body: { jobs: [id] } },
      { token: typeof as === 'string' ? as : as.token, admin: true },
    )
  const follow = async ({ id, jobId }: Submission, file: string, as: Person) => {
    const browser = await BrowserSocket.open(server.url, as.token)
    await browser.call(jobOutput.follow, { follow: 'f', job: jobId, submission: id, file, from: 0 })
    return browser
  }
  const { upload } = personFiles(() => ({ server, cluster: machine, token: ada.token }))

  it('is not read or removed through a link with which the job replaced its folder', async () => {
    const swapped = await run(`d=$PWD; cd; rm -r "$d"; ln -s ${dataDir} "$d"`)
    for (const file of ['master.key', 'config.json', 'homes/x', 'master.key/../master.key']) {
      const [piece, download, , list] = await reads(swapped, file, ada)
      expect(piece.status, file).toBe(404)
      expect(download.status, file).toBe(404)
      expect(list).toMatchObject({ status: 200, json: null })
      expect((await output(swapped, file, server.admin)).status, file).toBe(404)
    }
    const browser = await follow(swapped, 'master.key', ada)
    await until(() => browser.of('outputEnd').length === 1)
    expect(browser.of('output')).toEqual([])
    browser.socket.disconnect()
    // Only the link itself is deleted.
    expect((await remove(swapped, ada)).status).toBe(200)
    await unharmed()
  })

  it('is not read, written or removed through a link that replaced a parent folder', async () => {
    const mallory = await server.person('mallory')
    const swapped = await run(
      [
        'd=$(basename "$PWD"); cd; mv flotilla kept',
        'mkdir -p precious/$d; echo precious > precious/$d/file; echo precious > precious/$d/output.txt',
        'ln -s precious flotilla',
      ].join('\n'),
      mallory,
    )
    const [piece, download, , list] = await reads(swapped, 'file', mallory)
    expect([piece.status, download.status]).toEqual([404, 404])
    expect(list).toMatchObject({ status: 200, json: null })
    await remove(swapped, mallory)
    const inside = { cluster: machine, query: { path: `precious/links-${swapped.id}/file` } }
    expect(await server.must(api.files.readText, inside, { token: mallory.token })).toMatchObject({
      text: 'precious\n',
    })
    // The next job is rejected, because its output could not be read.
    const next = await server.refused(
      api.jobs.submit,
      { body: { id: swapped.jobId, cluster: machine } },
      { token: mallory.token },
    )
    expect(next).toMatchObject({ status: 409, message: expect.stringContaining('is a symbolic link') })
    await unharmed()
  })

  it('does not show the targets of links in it that lead outside', async () => {
    const linked = await run(
      [
        `echo mine; mkdir sub; echo deep > sub/deep`,
        `ln -s /etc/shadow shadow; ln -s /etc/passwd passwd; ln -s ${dataDir}/master.key key; ln -s ${dataDir} data`,
        `ln -s ../../../.. up; ln -s /proc/self/root root; ln -s output.txt fine; ln -s sub near`,
        // If the kernel allows these hard links, they are still read with the rights of the account.
        `ln /etc/shadow hard; ln ${dataDir}/master.key hardkey; true`,
      ].join('\n'),
    )
    const outside = ['shadow', 'passwd', 'key', 'data/master.key', 'up/etc/passwd', 'root/etc/passwd']
    for (const file of [...outside, 'hard', 'hardkey'])
      for (const { status } of (await reads(linked, file, ada)).slice(0, 2))
        expect([404, 409], file).toContain(status)
    expect(await output(linked, 'fine', ada)).toMatchObject({
      status: 200,
      json: { text: expect.stringMatching(/^mine\n/) },
    })
    expect(await output(linked, 'near/deep', ada)).toMatchObject({ status: 200, json: { text: 'deep\n' } })
    await unharmed()
  })

  it('is safe from a job that swaps its folder for a link while it is read', async () => {
    const swapping = await server.submit(
      machine,
      {
        name: 'swaps',
        script: [
          `echo mine; d=$PWD; cd; ln -s ${dataDir} trap`,
          'while [ ! -e stop ]; do mv -T "$d" away; mv -T trap "$d"; mv -T "$d" trap; mv -T away "$d"; done',
        ].join('\n'),
      },
      ada.token,
    )
    await server.wrote(swapping, /^mine\n$/, ada.token)
    let [mine, refused] = [0, 0]
    for (let count = 0; count < READS || (count < 2000 && mine * refused === 0); count++) {
      expect((await output(swapping, 'master.key', ada)).status).toBe(404)
      const { status, json } = await output(swapping, 'output.txt', ada)
      if (status === 200) expect(json.text).toBe('mine\n')
      if (status === 200) mine++
      else refused++
    }
    expect(mine * refused, 'both were met').toBeGreaterThan(0)
    await server.must(
      api.files.writeText,
      { cluster: machine, body: { path: 'stop', text: '' } },
      { token: ada.token },
    )
    await server.ended(swapping.id, ada.token)
    await unharmed()
  })

  soakIt('of a job run as admin is only readable by admins, and not through a link', async () => {
    const former = await server.person('former', ['admin'])
    const asAdmin = { runAsAdmin: true }
    const links = [dataDir, '/etc']
    const swapped: Submission[] = []
    for (const to of links)
      swapped.push(await run(`d=$PWD; cd /; rm -r "$d"; ln -s ${to} "$d"`, former, asAdmin))
    const plain = await run('echo top; ln -s /etc/shadow shadow', former, asAdmin)
    const growing = await grow(former, asAdmin)
    expect(await server.output(plain, 'output.txt', former.token)).toBe('top\n')
    for (const one of swapped)
      for (const file of ['master.key', 'shadow', 'passwd'])
        expect((await output(one, file, former)).status, file).toBe(404)
    expect((await output(plain, 'shadow', former)).status).toBe(404)
    const browser = await follow(growing, 'output.txt', former)
    await until(() => browser.of('output').length > 0)

    await server.must(
      api.users.update,
      { body: { id: former.id, role: ['user'] } },
      { token: server.admin, admin: true },
    )
    await until(() => browser.of('outputEnd').length > 0)
    expect(browser.of('outputEnd')[0]?.reason).toContain('only admins')
    browser.socket.disconnect()
    for (const one of [...swapped, plain, growing])
      for (const reply of await reads(one, 'output.txt', former))
        expect(reply).toMatchObject({
          status: 403,
          json: { message: expect.stringContaining('only admins') },
        })
    expect((await remove(plain, former)).status).toBe(403)
    expect(await server.output(plain)).toBe('top\n')
    for (const one of swapped) expect((await remove(one, server.admin)).status).toBe(200)
    await server.must(
      api.jobs.cancel,
      { body: { job: growing.id, cluster: machine } },
      { token: server.admin, admin: true },
    )
    await server.ended(growing.id)
    await unharmed()
  })

  soakIt('is readable as long as the cluster is shared with the user', async () => {
    const data = { manager: 'none', transport: 'local', virtualNodes: { count: 1, cores: 2 } }
    const cluster = await server.deployed('Shared for a while', data, { collaborators: ['adalove'] })
    const share = (collaborators: string[]) =>
      server.must(
        api.clusters.collaborators,
        { body: { id: cluster, collaborators } },
        { token: server.admin },
      )
    const done = await run('echo done', ada, {}, cluster)
    const growing = await grow(ada, {}, cluster)
    const browser = await follow(growing, 'output.txt', ada)
    await until(() => browser.of('output').length > 0)
    expect(await server.output(done, 'output.txt', ada.token)).toBe('done\n')

    await share([])
    const refusal = expect.stringContaining('You no longer have access to the cluster Shared for a while')
    await until(() => browser.of('outputEnd').length > 0)
    expect(browser.of('outputEnd')[0]?.reason).toEqual(refusal)
    browser.socket.disconnect()
    for (const one of [done, growing])
      for (const reply of await reads(one, 'output.txt', ada))
        expect(reply).toMatchObject({ status: 403, json: { message: refusal } })
    expect(await remove(done, ada)).toMatchObject({ status: 403, json: { message: refusal } })
    expect(await server.output(done)).toBe('done\n')

    await share(['adalove'])
    expect(await server.output(done, 'output.txt', ada.token)).toBe('done\n')
    await server.must(api.jobs.cancel, { body: { job: growing.id, cluster } }, { token: ada.token })
    await server.ended(growing.id)
    expect((await remove(done, ada)).status).toBe(200)
  })

  it('and files of the console are not accessible through links in the home or a home that is a link', async () => {
    await run(`cd; ln -s ${dataDir} data; ln -s / all`)
    // Links are followed with the account's own rights, and the console's files are not visible to it.
    for (const folder of ['data', `all${dataDir}`]) {
      await upload(`${folder}/was-here`, Buffer.from('x'), { offset: '0', final: 'true' })
      expect(readdirSync(dataDir)).not.toContain('was-here')
      const at = { cluster: machine, query: { path: folder } }
      const listed = await server.answer(api.files.list, at, { token: ada.token })
      expect(JSON.stringify(listed.json)).not.toMatch(/master\.key|postgres|"clusters"/)
      for (const endpoint of [api.files.download, api.files.readText]) {
        const file = { cluster: machine, query: { path: `${folder}/master.key` } }
        const refused = await server.refused(endpoint, file, { token: ada.token })
        expect(refused.status, endpoint.path).toBe(404)
      }
    }
    // An admin's job, which can do anything, replaces a user's home with a link.
    const late = await server.person('latecomer')
    const { area } = await server.must(api.files.list, { cluster: machine }, { token: late.token })
    await run(
      `mv ${area} ${area}.away; ln -s ${dataDir} ${area}`,
      { ...ada, token: server.admin },
      { runAsAdmin: true },
    )
    await server.kill('SIGTERM')
    await server.run()
    await server.thisMachine()
    const refusal = {
      status: 409,
      code: 'no_account',
      message: expect.stringContaining('is a symbolic link'),
    }
    const as = { token: late.token }
    expect(await server.refused(api.files.list, { cluster: machine }, as)).toMatchObject(refusal)
    const body = { id: await server.job({ script: 'cat ~/master.key' }, late.token), cluster: machine }
    expect(await server.refused(api.jobs.submit, { body }, as)).toMatchObject(refusal)
    await unharmed()
  })
})
