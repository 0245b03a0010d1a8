import { chown } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testLog } from '../../../test/support/log'
import { soaking } from '../../../test/support/soak'
import { startSshd, type TestSshd } from '../../../test/support/machines/sshd'
import { sshOptions } from '../../../test/support/machines/ssh-connection'
import { transportBehaviors } from '../../../test/support/behaviors/transports/transport'
import { sshTransport } from './ssh'
import type { Transport } from '../transport'

// Logs in as root, whom sudo lets act as any account.
const nobody = 65534
let sshd: TestSshd
let transport: Transport
beforeAll(async () => {
  sshd = await startSshd()
  transport = sshTransport(sshOptions(sshd, { sudoAs: 'nobody' }), testLog().log)
})
afterAll(async () => {
  await transport.close()
  await sshd.remove()
})

// The login shell of this account (nologin) exits immediately, so terminals are tested elsewhere.
transportBehaviors('by sudo', () => transport, {
  prepared: (folder) => chown(folder, nobody, nobody),
  terminal: false,
  contents: soaking,
})

describe('by sudo', () => {
  it('acts as the other account in commands and files', async () => {
    const { stdout } = await transport.exec(['sh', '-c', 'id -un; pwd; echo $HOME'], { timeoutMs: 10_000 })
    expect(stdout).toBe('nobody\n/\n/nonexistent\n')
    await expect(transport.files('/etc').read('shadow')).rejects.toMatchObject({ reason: 'denied' })
  })

  it('reports that the account has no shell when a terminal is requested', async () => {
    const terminal = await transport.shell({ cols: 80, rows: 24 })
    let screen = ''
    terminal.onData((data) => (screen += data.toString()))
    expect(await new Promise((resolve) => terminal.onExit(resolve))).toMatchObject({ code: 1 })
    expect(screen).toContain('not available')
  })
})
