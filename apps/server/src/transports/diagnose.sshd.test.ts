import net from 'node:net'
import { chmod, rm } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sshdOfTest, sshOptions } from '../../test/support/machines/ssh-connection'
import type { TestSshd } from '../../test/support/machines/sshd'
import { soakIt } from '../../test/support/soak'
import { diagnose } from './diagnose'
import type { SshOptions } from './ssh/ssh'

const diagnoseSsh = (sshd: TestSshd, more: Partial<SshOptions> = {}) =>
  diagnose({ kind: 'ssh', options: sshOptions(sshd, more) })
const failedStep = async (steps: ReturnType<typeof diagnoseSsh>) => {
  const all = await steps
  expect(all.slice(0, -1).every((one) => one.ok)).toBe(true)
  expect(all.at(-1)?.ok).toBe(false)
  return all.at(-1)
}

describe('the diagnosis of a connection', () => {
  it('passes every step if the connection works', async () => {
    const sshd = await sshdOfTest()
    const steps = await diagnoseSsh(sshd)
    expect(steps.map(({ step, ok }) => [step, ok])).toEqual([
      ['resolve host', true],
      ['connect', true],
      ['check host key', true],
      ['log in', true],
      ['run command', true],
      ['write file', true],
    ])
    expect(steps[2]?.message).toMatch(/^SHA256:.* first time/)
    expect(steps[5]?.message).toMatch(/home folder is writable; .* free/)
    const known = await diagnoseSsh(sshd, { knownHostKey: () => sshd.hostKey() })
    expect(known[2]?.message).toMatch(/already trusted/)
  })

  it('names the failing step and what to do', async () => {
    const sshd = await sshdOfTest()
    expect(await failedStep(diagnoseSsh(sshd, { host: 'no-such-host.invalid' }))).toMatchObject({
      step: 'resolve host',
      message: expect.stringMatching(/no-such-host.invalid/),
    })
    expect(await failedStep(diagnoseSsh(sshd, { port: 1 }))).toMatchObject({
      step: 'connect',
      message: expect.stringMatching(/nothing is listening on port 1\. Check the port/),
    })
    const other = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8mUVLs6mMi4bWwJGFqR5Bl1b0vC2a1B8e5cyd4sNJM'
    expect(await failedStep(diagnoseSsh(sshd, { knownHostKey: () => other }))).toMatchObject({
      step: 'check host key',
      message: expect.stringMatching(/has changed: .*SHA256:.*SHA256:/),
    })
    expect(await failedStep(diagnoseSsh(sshd, { auth: { privateKey: sshd.strangerKey } }))).toMatchObject({
      step: 'log in',
      message: expect.stringMatching(/authorized_keys/),
    })
    expect(await failedStep(diagnoseSsh(sshd, { auth: { password: 'wrong' } }))).toMatchObject({
      step: 'log in',
      message: expect.stringMatching(/rejected the password/),
    })
    expect(await failedStep(diagnoseSsh(sshd, { sudoAs: 'no-such-account' }))).toMatchObject({
      step: 'switch account',
    })
  })

  soakIt('recognizes a port where another service listens or nothing responds', async () => {
    const sshd = await sshdOfTest()
    const greeting = { http: 'HTTP/1.1 400 Bad Request\r\n\r\n', silent: '' }
    for (const text of Object.values(greeting)) {
      const server = net.createServer((socket) => void socket.on('error', () => undefined).write(text))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void server.close())
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      const steps = diagnoseSsh(sshd, { port, connectTimeoutMs: 1500 })
      expect(await failedStep(steps)).toMatchObject({
        step: 'start SSH',
        message: expect.stringMatching(/SSH/),
      })
      // The port accepted the connection, so that step has passed; it is listed once.
      expect((await steps).map(({ step, ok }) => [step, ok])).toEqual([
        ['resolve host', true],
        ['connect', true],
        ['start SSH', false],
      ])
    }
  })

  it('recognizes a disabled shell and a missing home', async () => {
    const shellless = await sshdOfTest(['ForceCommand echo This account is not available; exit 1'])
    expect(await failedStep(diagnoseSsh(shellless))).toMatchObject({
      step: 'run command',
      message: expect.stringMatching(/not available/),
    })
    const homeless = await sshdOfTest()
    await chmod(homeless.home, 0o700)
    await rm(homeless.home, { recursive: true })
    expect(await failedStep(diagnoseSsh(homeless))).toMatchObject({
      step: 'write file',
      message: expect.stringMatching(/no accessible home folder/),
    })
  })

  it('also works for this machine', async () => {
    const steps = await diagnose({ kind: 'local', options: {} })
    expect(steps.map(({ step, ok }) => [step, ok])).toEqual([['write file', true]])
  })
})
