import { afterAll, beforeAll, describe } from 'vitest'
import { describeAppConnections } from '../../../../test/support/apps/app-connections'
import { testLog } from '../../../../test/support/log'
import { sshOptions } from '../../../../test/support/machines/ssh-connection'
import { startSshd, type TestSshd } from '../../../../test/support/machines/sshd'
import { sshTransport } from '../../../transports/ssh/ssh'
import type { Transport } from '../../../transports/transport'

let sshd: TestSshd
let transport: Transport
beforeAll(async () => {
  sshd = await startSshd()
  transport = sshTransport(sshOptions(sshd), testLog().log)
})
afterAll(async () => {
  await transport.close()
  await sshd.remove()
})

describe('through SSH', () => {
  describeAppConnections((port) => transport.connect('127.0.0.1', port))
})
