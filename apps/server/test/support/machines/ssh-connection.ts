import { onTestFinished } from 'vitest'
import { sshTransport, type SshOptions } from '../../../src/transports/ssh/ssh'
import { testLog } from '../log'
import { startSshd, type TestSshd } from './sshd'

/** An sshd for one test, with these additional lines in its configuration. */
export async function sshdOfTest(lines: string[] = []): Promise<TestSshd> {
  const sshd = await startSshd({ lines })
  onTestFinished(() => sshd.remove())
  return sshd
}

/** Options that log in to it with the authorized key. */
export const sshOptions = (sshd: TestSshd, more: Partial<SshOptions> = {}): SshOptions => ({
  host: '127.0.0.1',
  port: sshd.port,
  username: sshd.username,
  auth: { privateKey: sshd.privateKey },
  knownHostKey: () => null,
  mayBePrivate: () => true,
  pinHostKey: () => undefined,
  ...more,
})

/** A connection for one test, which pins the first host key. */
export function connect(sshd: TestSshd, more: Partial<SshOptions> = {}) {
  const pinned: string[] = []
  const { log, lines } = testLog()
  const pinning = {
    knownHostKey: () => pinned.at(-1) ?? null,
    pinHostKey: (key: string) => void pinned.push(key),
  }
  const transport = sshTransport(sshOptions(sshd, { ...pinning, ...more }), log)
  onTestFinished(() => transport.close())
  const run = (argv: string[], timeoutMs = 20_000) => transport.exec(argv, { timeoutMs })
  return { transport, run, pinned, lines }
}
