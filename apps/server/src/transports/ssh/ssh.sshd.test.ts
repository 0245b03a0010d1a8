import { afterAll, beforeAll } from 'vitest'
import { testLog } from '../../../test/support/log'
import { startSshd, type TestSshd } from '../../../test/support/machines/sshd'
import { sshOptions } from '../../../test/support/machines/ssh-connection'
import { transportBehaviors } from '../../../test/support/behaviors/transports/transport'
import { sshTransport } from './ssh'
import type { Transport } from '../transport'

let sshd: TestSshd
let transport: Transport
beforeAll(async () => {
  sshd = await startSshd()
  transport = sshTransport(sshOptions(sshd, { knownHostKey: () => sshd.hostKey() }), testLog().log)
})
afterAll(async () => {
  await transport.close()
  await sshd.remove()
})

transportBehaviors('ssh', () => transport)
