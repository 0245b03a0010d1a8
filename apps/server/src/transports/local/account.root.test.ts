import { execFileSync } from 'node:child_process'
import { chown, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { testLocal } from '../../../test/support/machines/local'
import { soaking } from '../../../test/support/soak'
import { until } from '../../../test/support/until'
import { transportBehaviors } from '../../../test/support/behaviors/transports/transport'
import type { LocalAccount } from './process'
import type { Transport } from '../transport'

// These tests act as other accounts, which requires root.
const nobody: LocalAccount = { uid: 65534, gid: 65534, username: 'nobody', home: '/nonexistent' }
const stranger: LocalAccount = { uid: 61_234, gid: 61_234, username: 'stranger', home: '/tmp' }

let transport: Transport
beforeAll(() => (transport = testLocal({ as: nobody })))
afterAll(() => transport.close())

const as = (account: LocalAccount) => {
  const made = testLocal({ as: account })
  onTestFinished(() => made.close())
  return made
}

transportBehaviors('as another account', () => transport, {
  prepared: (folder) => chown(folder, nobody.uid, nobody.gid),
  contents: soaking,
})

describe('another account', () => {
  it('has its own user id and groups and none of the server’s', async () => {
    const id = async (account: LocalAccount) =>
      (await as(account).exec(['sh', '-c', 'id -u; id -g; id -G; echo $HOME $USER'], { timeoutMs: 10_000 }))
        .stdout
    expect(await id(nobody)).toBe('65534\n65534\n65534\n/nonexistent nobody\n')
    expect(await id(stranger)).toBe('61234\n61234\n61234\n/tmp stranger\n')
  })

  it('has no capabilities', async () => {
    const { stdout } = await transport.exec(['grep', '-E', '^Cap(Inh|Prm|Eff|Amb):', '/proc/self/status'], {
      timeoutMs: 10_000,
    })
    expect(stdout.match(/0000000000000000/g)).toHaveLength(4)
  })

  it('reads and writes files with its own rights, even if the server is root', async () => {
    const root = await testFolder()
    await chown(root, nobody.uid, nobody.gid)
    await writeFile(path.join(root, 'private'), 'of root', { mode: 0o600 })
    await mkdir(path.join(root, 'closed'), { mode: 0o700 })
    const denied = expect.objectContaining({ reason: 'denied' })
    const files = transport.files(root)
    await expect(files.read('private')).rejects.toEqual(denied)
    await expect(files.write('private', 'x', { how: 0 })).rejects.toEqual(denied)
    await expect(files.list('closed')).rejects.toEqual(denied)
    await expect(files.write('closed/x', 'x', { how: 'create' })).rejects.toEqual(denied)
    await expect(as(stranger).files(root).list('')).rejects.toEqual(denied)
    await files.write('mine', 'x', { how: 'create' })
    expect(await stat(path.join(root, 'mine'))).toMatchObject({ uid: nobody.uid, gid: nobody.gid })
    expect(await readFile(path.join(root, 'private'), 'utf8')).toBe('of root')
    // A link to root's file inside the account's own folder is followed, but the file is not readable.
    await symlink('private', path.join(root, 'way'))
    await expect(files.read('way')).rejects.toEqual(denied)
  })

  it('can access files in a namespace that hides Node.js and the console', async () => {
    const root = await testFolder()
    await writeFile(path.join(root, 'file'), 'seen')
    const program = inject('consoleFolder')
    const hide = `mount --bind /dev/null ${process.execPath} && mount -t tmpfs none ${program} && exec "$@"`
    const enterFiles = ['unshare', '--mount', '--pid', '--fork', '--mount-proc', 'sh', '-c', hide, 'hide']
    const files = testLocal({ enterFiles })
    onTestFinished(() => files.close())
    expect(await files.files(root).readText('file', { maxBytes: 10 })).toBe('seen')
    expect((await files.files(program).list('')).entries).toEqual([])
    const archive = Buffer.concat(await (await files.files(root).archive('file')).toArray())
    expect(execFileSync('tar', ['-tzf', '-'], { input: archive, encoding: 'utf8' })).toBe('./file\n')
  })

  it('restarts its files worker if the worker is killed', async () => {
    const root = await testFolder()
    await chown(root, nobody.uid, nobody.gid)
    const files = transport.files(root)
    await files.write('a', 'a', { how: 'create' })
    const children = `ps --ppid ${process.pid} -o pid=,uid=,args=`
    const mine = `${children} | awk '$2 == ${nobody.uid} && /input-type=module/ { print $1 }'`
    const { stdout } = await transport.exec(['sh', '-c', mine], { timeoutMs: 10_000 })
    // The account may kill its own worker, but not read its environment. Workers of earlier tests may still be ending.
    const pids = stdout.trim().split('\n')
    const environments = pids.map((pid) => `/proc/${pid}/environ`)
    const read = await transport.exec(['cat', ...environments], { timeoutMs: 10_000 })
    expect(read).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Permission denied') })
    await transport.exec(['sh', '-c', `kill -9 ${stdout.replaceAll('\n', ' ')}`], { timeoutMs: 10_000 })
    expect(await until(() => files.readText('a', { maxBytes: 10 }).catch(() => undefined))).toBe('a')
  })
})
