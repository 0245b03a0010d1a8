import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { testLog } from '../../../test/support/log'
import { startSshd } from '../../../test/support/machines/sshd'
import { sshOptions } from '../../../test/support/machines/ssh-connection'
import { diagnose } from '../diagnose'
import { testLocal } from '../../../test/support/machines/local'
import { sshTransport } from './ssh'

// Mounts a file system of 256 KiB as the home, which requires root.
it('recognizes a full disk, in the diagnosis and in every write', async () => {
  const sshd = await startSshd()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'flotilla-test', sshd.home])
  onTestFinished(async () => {
    execFileSync('umount', [sshd.home])
    await sshd.remove()
  })
  const options = sshOptions(sshd)
  const ssh = sshTransport(options, testLog().log)
  onTestFinished(() => ssh.close())
  expect((await diagnose({ kind: 'ssh', options })).at(-1)).toMatchObject({ step: 'write file', ok: true })

  await writeFile(path.join(sshd.home, 'full'), Buffer.alloc(1024 * 1024)).catch(() => undefined)
  expect((await diagnose({ kind: 'ssh', options })).at(-1)).toMatchObject({
    step: 'write file',
    ok: false,
    message: expect.stringMatching(/disk is full or the quota/),
  })
  for (const transport of [testLocal(), ssh]) {
    const files = transport.files(sshd.home)
    await expect(files.write('more', Buffer.alloc(100_000), { how: 'create' })).rejects.toMatchObject({
      step: 'write file',
      reason: 'disk full',
    })
    expect((await files.list('')).entries.map((one) => one.name)).toEqual(['full'])
  }
})
