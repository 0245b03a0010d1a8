import { api } from '@flotilla/contract/api'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Console } from '../../../test/support/console/console'
import { installTorque } from '../../../test/support/schedulers/torque/install'

let folder: string
let home: string
let server: Console
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-full-'))
  home = path.join(folder, 'home')
  await mkdir(home)
  // The file system has room for three more files and a little text.
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,nr_inodes=4', 'none', home])
  const torque = await installTorque(folder)
  server = await Console.start({ env: { PATH: `${torque.bin}:${process.env.PATH ?? ''}`, HOME: home } })
})
afterAll(async () => {
  await server.stop()
  execFileSync('umount', [home])
  await rm(folder, { recursive: true, force: true })
})

it('a full disk on the cluster fails the submission with that reason, not with an internal error', async () => {
  const cluster = await server.deployed('Full', { manager: 'torque', transport: 'local' })
  const id = await server.job({ script: 'true', cores: 2 })
  const submit = () =>
    server.answer(api.jobs.submit, { body: { id, cluster, runAsAdmin: true } }, { token: server.admin })
  // The folder of all jobs and that of the first one fit, then the disk is full.
  const answers = [await submit(), await submit(), await submit()]
  const full = answers.at(-1)
  expect(full).toMatchObject({
    status: 503,
    json: { code: 'disk_full', step: 'create folder', message: expect.stringContaining('disk is full') },
  })
  const [last] = await server.must(api.jobs.submissions, { id }, { token: server.admin })
  expect(last).toMatchObject({ state: 'failed', reason: expect.stringContaining('disk is full') })
})
