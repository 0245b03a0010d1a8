import { terminals } from '@flotilla/contract/clusters/terminal'
import { api } from '@flotilla/contract/api'
import { execFileSync } from 'node:child_process'
import { chown, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BrowserSocket } from './support/console/browser-socket'
import { Console, type Person } from './support/console/console'
import { NOBODY, rootModes } from './support/root-modes'
import { variants, soakIt } from './support/soak'
import { until } from './support/until'

// DATA_DIR is on a small file system of its own, which only root can mount.
const MB = 1024 ** 2
const SIZE_MB = 512
const INODES = 10_000

describe.each(variants(rootModes))('%s, on a disk that fills up', (_, before) => {
  let dataDir: string
  let server: Console
  let machine: string
  let ada: Person
  const free = async () => {
    const { bavail, bsize } = await statfs(dataDir)
    return (bavail * bsize) / MB
  }
  /** Fills the disk with a file so that only this much is free. */
  const leaveFree = async (mb: number) => {
    const file = path.join(dataDir, 'ballast')
    await rm(file, { force: true })
    const bytes = Math.max(0, Math.floor((await free()) - mb)) * MB
    // The console may write something meanwhile, so that even less is free.
    await writeFile(file, Buffer.alloc(bytes, 1)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOSPC') throw error
    })
  }

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-disk-'))
    execFileSync('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=${SIZE_MB}m,nr_inodes=${INODES},mode=711`,
      'none',
      dataDir,
    ])
    if (before.length > 0) await chown(dataDir, NOBODY, NOBODY)
    server = await Console.start({ before, dataDir })
    machine = await server.thisMachine()
    ada = await server.person('adalove')
    const first = await server.submit(machine, { script: 'echo hello' }, ada.token)
    await server.ended(first.id, ada.token)
  })
  afterAll(async () => {
    await server.stop()
    execFileSync('umount', ['--lazy', dataDir])
    await rm(dataDir, { recursive: true, force: true })
  })

  const upload = (name: string, bytes: number) =>
    server.answer(
      api.files.upload,
      {
        cluster: machine,
        query: { path: name, offset: 0, final: 'true', replace: 'true' },
        bytes: Buffer.alloc(bytes, 7),
      },
      { token: ada.token },
    )
  const removeFull = () =>
    server.must(api.files.remove, { cluster: machine, body: { paths: ['full'] } }, { token: ada.token })
  const isFull = { status: 503, json: { code: 'disk_full', message: expect.stringContaining('full') } }

  it('users can no longer write below the reserve and get the reason, while the console keeps working', async () => {
    expect(await upload('small', 1000)).toMatchObject({ status: 200 })
    await leaveFree(100)
    expect(await upload('more', 1000)).toMatchObject(isFull)
    const id = await server.job({ script: 'true' }, ada.token)
    const body = { id, cluster: machine }
    expect(await server.answer(api.jobs.submit, { body }, { token: ada.token })).toMatchObject(isFull)
    // Deleting files is allowed, and the console still stores its own data.
    await server.must(
      api.files.remove,
      { cluster: machine, body: { paths: ['small'] } },
      { token: ada.token },
    )
    await server.person('grace')
    await leaveFree(400)
    expect(await upload('again', 1000)).toMatchObject({ status: 200 })
  })

  soakIt('a terminal that fills the disk is closed, with the reason on its screen', async () => {
    const browser = await BrowserSocket.open(server.url, ada.token)
    const terminal = await browser.terminal(machine)
    const fill = 'mkdir full; cd full; for i in $(seq 10000); do head -c 1000000 /dev/zero >$i; done'
    await browser.call(terminals.input, { terminal, data: `${fill}\n` })
    await until(() => browser.written(terminal).includes('nearly full'))
    await until(() => browser.of('terminalEnd').some((one) => one.terminal === terminal))
    expect(await free()).toBeGreaterThan(10)
    browser.socket.disconnect()
    await server.person('katherine')
    await removeFull()
  })

  it.each(
    variants([
      ['allocates all space at once', 'while fallocate -l 10M $((i++)); do :; done'],
      ['takes all inodes', 'mkdir $(seq 20000)'],
    ]),
  )('a job that %s is killed, and the console keeps working', async (_what, fill) => {
    await leaveFree(400)
    const script = `#!/bin/bash\ncd && mkdir full && cd full\n${fill}\nsleep 600\n`
    const job = await server.submit(machine, { script }, ada.token)
    expect(await server.ended(job.id, ada.token)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('nearly full'),
    })
    await server.person(`after${fill.length}`)
    await removeFull()
  })

  it('calls that write to a completely full disk answer 503 as well', async () => {
    await leaveFree(0)
    expect(await upload('none', 1_000_000)).toMatchObject(isFull)
    const id = await server.job({ script: 'true' }, server.admin)
    const body = { id, cluster: machine, runAsAdmin: true }
    expect(await server.answer(api.jobs.submit, { body }, { token: server.admin })).toMatchObject(isFull)
    await leaveFree(400)
  })
})
