import { afterAll, beforeAll } from 'vitest'
import { testLog } from '../../../test/support/log'
import { startSshd, type TestSshd } from '../../../test/support/sshd'
import { transportBehaviors } from '../behaviors/transport'
import { sshTransport } from './ssh'
import type { Transport } from '../transport'

let sshd: TestSshd
let transport: Transport
beforeAll(async () => {
  sshd = await startSshd()
  transport = sshTransport(
    {
      host: '127.0.0.1',
      port: sshd.port,
      username: sshd.username,
      auth: { privateKey: sshd.privateKey },
      knownHostKey: () => sshd.hostKey(),
      mayBePrivate: () => true,
      pinHostKey: () => undefined,
    },
    testLog().log,
  )
})
afterAll(async () => {
  await transport.close()
  await sshd.remove()
})

transportBehaviors('ssh', () => transport)
