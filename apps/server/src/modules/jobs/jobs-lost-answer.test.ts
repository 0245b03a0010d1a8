import { api } from '@flotilla/contract/api'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Console } from '../../../test/support/console/console'
import { soakIt } from '../../../test/support/soak'
import { installTorque } from '../../../test/support/schedulers/torque/install'
import { until } from '../../../test/support/until'

// A qsub whose reply can be lost: it runs the scripts `before` and `after` around the real one.
const lossy = (real: string, folder: string) => `#!/bin/sh
[ -e ${folder}/before ] && . ${folder}/before
answer=$(${real} "$@") || exit
echo once >> ${folder}/count
[ -e ${folder}/after ] && . ${folder}/after
echo "$answer"
`

let folder: string
let server: Console
let cluster: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-lost-'))
  await chmod(folder, 0o755)
  const torque = await installTorque(folder)
  const bin = path.join(folder, 'lossy')
  await mkdir(bin)
  await writeFile(path.join(bin, 'qsub'), lossy(path.join(torque.bin, 'qsub'), folder), { mode: 0o755 })
  server = await Console.start({
    env: { PATH: `${bin}:${torque.bin}:${process.env.PATH ?? ''}`, HOME: folder },
  })
  await server.thisMachine()
  cluster = await server.deployed('Torque', { manager: 'torque', transport: 'local' })
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})
const at = (name: string) => path.join(folder, name)
beforeEach(() => Promise.all(['before', 'after', 'count'].map((name) => rm(at(name), { force: true }))))

const jobs = async () =>
  existsSync(at('state/state.json'))
    ? (JSON.parse(await readFile(at('state/state.json'), 'utf8')) as { jobs: unknown[] }).jobs.length
    : 0
// The job runs until it is deleted.
const job = () => server.job({ script: 'sleep 1000', nodes: 2, cores: 2 })
const submit = (id: string, key: string) =>
  server.answer(api.jobs.submit, { body: { id, cluster, key, runAsAdmin: true } }, { token: server.admin })
const cancel = (id: string) =>
  server.must(api.jobs.cancel, { body: { job: id, cluster } }, { token: server.admin })

describe('a submit whose reply is lost', () => {
  soakIt('because the server was killed is found again by its mark and never repeated', async () => {
    const before = await jobs()
    await writeFile(at('after'), `rm ${at('after')}; kill -9 ${server.pid}; exit 1`)
    const [id, key] = [await job(), randomUUID()]
    await expect(submit(id, key)).rejects.toThrow('fetch failed')
    await server.kill()
    await server.run()
    const { status, json } = await submit(id, key)
    expect(status).toBe(201)
    const found = await server.reached(json.id, ['running'])
    expect(found.nativeId).toMatch(/\.head$/)
    expect(await readFile(at('count'), 'utf8')).toBe('once\n')
    expect(await jobs()).toBe(before + 1)
    await cancel(json.id)
    await server.ended(json.id)
  })

  soakIt('because qsub hangs is found by the next poll of the queue', async () => {
    const before = await jobs()
    await writeFile(at('after'), `while [ -e ${at('after')} ]; do sleep 0.1; done`)
    const [id, key] = [await job(), randomUUID()]
    const hanging = submit(id, key).catch(() => undefined)
    const found = await until(async () => {
      const [last] = await server.must(api.jobs.submissions, { id }, { token: server.admin })
      return last?.nativeId ? last : null
    })
    // The same request is sent again while the first still hangs.
    expect((await submit(id, key)).json).toMatchObject({ id: found.id, nativeId: found.nativeId })
    await cancel(found.id)
    expect(await server.ended(found.id)).toMatchObject({ state: 'canceled' })
    expect(await jobs()).toBe(before + 1)
    await server.kill()
    await server.run()
    await hanging
    expect(await server.submission(found.id)).toMatchObject({ state: 'canceled' })
  })

  soakIt('because the connection was lost warns against submitting again, and is found', async () => {
    const before = await jobs()
    await writeFile(at('after'), `echo 'qsub: submit error (End of File)' >&2; exit 1`)
    const id = await job()
    expect(await submit(id, randomUUID())).toMatchObject({
      status: 503,
      json: { message: expect.stringContaining('Do not submit it again.') },
    })
    const [open] = await server.must(api.jobs.submissions, { id }, { token: server.admin })
    expect((await server.reached(open?.id ?? '', ['running'])).nativeId).toMatch(/\.head$/)
    expect(await jobs()).toBe(before + 1)
    await cancel(open?.id ?? '')
    await server.ended(open?.id ?? '')
  })

  it('can be canceled before it has arrived, and is canceled on the cluster if it arrives later', async () => {
    // Blocks before the real qsub until the test continues.
    await writeFile(at('before'), `touch ${at('waits')}; while [ -e ${at('waits')} ]; do sleep 0.05; done`)
    const [id, key] = [await job(), randomUUID()]
    const reply = submit(id, key)
    await until(() => existsSync(at('waits')))
    const [open] = await server.must(api.jobs.submissions, { id }, { token: server.admin })
    expect(open).toMatchObject({ state: 'submitting', nativeId: null })
    expect(await cancel(open?.id ?? '')).toMatchObject({
      state: 'canceled',
      reason: expect.stringContaining('before'),
    })
    await rm(at('waits'))
    expect(await reply).toMatchObject({ status: 201, json: { state: 'canceled' } })
    const { nativeId } = await server.submission(open?.id ?? '')
    expect(nativeId).toMatch(/\.head$/)
    type State = { jobs: { number: number; deleted: boolean }[] }
    const state = JSON.parse(await readFile(at('state/state.json'), 'utf8')) as State
    expect(state.jobs.find(({ number }) => nativeId?.startsWith(`${number}.`))).toMatchObject({
      deleted: true,
    })
  })
})
