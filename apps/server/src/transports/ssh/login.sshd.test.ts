import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import dns from 'node:dns/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { until } from '../../../test/support/until'
import { fingerprintOfLine } from './host-key'
import { showHostKey } from './login'
import { connect, sshdOfTest } from '../../../test/support/machines/ssh-connection'

describe('ssh: host key', () => {
  it('is pinned at the first login and rejected with both fingerprints if it changes', async () => {
    const sshd = await sshdOfTest()
    const { run, pinned, transport } = connect(sshd)
    expect((await run(['true'])).code).toBe(0)
    const before = await sshd.hostKey()
    expect(pinned).toEqual([before])
    await sshd.changeHostKey()
    const after = await sshd.hostKey()
    await until(() => !transport.healthy())
    const refusal = await until(() =>
      run(['true']).then(
        () => undefined,
        (error) => error.reason !== 'lost' && error.reason !== 'unreachable' && error,
      ),
    )
    expect(refusal).toMatchObject({ step: 'check host key', reason: 'host key changed' })
    expect(refusal.message).toContain(fingerprintOfLine(before))
    expect(refusal.message).toContain(fingerprintOfLine(after))
    expect(pinned).toEqual([before])
    expect(fingerprintOfLine(before)).toMatch(/^SHA256:[\w+/]{43}$/)
  })

  it('is requested in the known kind if the host has several', async () => {
    const folder = await testFolder()
    execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', path.join(folder, 'rsa')])
    const sshd = await sshdOfTest([`HostKey ${path.join(folder, 'rsa')}`])
    const known = await readFile(path.join(folder, 'rsa.pub'), 'utf8')
    expect((await connect(sshd, { knownHostKey: () => known }).run(['true'])).code).toBe(0)
    expect((await connect(sshd, { knownHostKey: () => sshd.hostKey() }).run(['true'])).code).toBe(0)
  })

  it('of the known kind is shown without a login', async () => {
    const folder = await testFolder()
    execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', path.join(folder, 'rsa')])
    const sshd = await sshdOfTest([`HostKey ${path.join(folder, 'rsa')}`])
    const rsa = (await readFile(path.join(folder, 'rsa.pub'), 'utf8')).split(' ').slice(0, 2).join(' ')
    const place = { host: '127.0.0.1', port: sshd.port, mayBePrivate: () => true }
    expect(await showHostKey(place, null)).toBe(await sshd.hostKey())
    expect(await showHostKey(place, rsa)).toBe(rsa)
    await sshd.stop()
    await expect(showHostKey(place, null)).rejects.toMatchObject({ step: 'connect', reason: 'unreachable' })
  })

  it('is requested from the address that was checked, so DNS rebinding into a private network fails', async () => {
    const sshd = await sshdOfTest()
    const lookup = vi.spyOn(dns, 'lookup')
    onTestFinished(() => lookup.mockRestore())
    // The attacker's name server first returns an unreachable address and then this machine.
    const answers = [
      { address: '192.0.2.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]
    lookup.mockImplementation((async () => [answers.shift()]) as unknown as typeof dns.lookup)
    const place = { host: 'rebinding.example.org', port: sshd.port, mayBePrivate: () => false }
    await expect(showHostKey({ ...place, connectTimeoutMs: 300 }, null)).rejects.toMatchObject({
      step: 'connect',
    })
    expect(lookup).toHaveBeenCalledOnce()
    await expect(showHostKey(place, null)).rejects.toMatchObject({ step: 'resolve host', reason: 'unusable' })
  })

  it('is not pinned if the login failed', async () => {
    const sshd = await sshdOfTest()
    const { run, pinned } = connect(sshd, { auth: { privateKey: sshd.strangerKey } })
    await expect(run(['true'])).rejects.toMatchObject({ step: 'log in' })
    expect(pinned).toEqual([])
  })
})

describe('ssh: login', () => {
  it('reports a rejected key and does not retry immediately', async () => {
    const sshd = await sshdOfTest()
    const { run, lines, transport } = connect(sshd, { auth: { privateKey: sshd.strangerKey } })
    for (let count = 0; count < 3; count++)
      await expect(run(['true'])).rejects.toMatchObject({
        step: 'log in',
        reason: 'refused',
        message: expect.stringContaining(`rejected the key for ${sshd.username}`),
      })
    expect(lines().split('ssh connection failed')).toHaveLength(2)
    expect(lines()).not.toContain('PRIVATE KEY')
    expect(transport.state()).toMatchObject({ healthy: false, error: { reason: 'refused' } })
  })

  it('distinguishes an unreadable key from a rejected one', async () => {
    const sshd = await sshdOfTest()
    const { run } = connect(sshd, { auth: { privateKey: 'no key at all' } })
    await expect(run(['true'])).rejects.toMatchObject({ step: 'log in', reason: 'unusable' })
  })

  it('names the failing step if the host is unreachable or unknown', async () => {
    const sshd = await sshdOfTest()
    await sshd.stop()
    await expect(connect(sshd).run(['true'])).rejects.toMatchObject({
      step: 'connect',
      reason: 'unreachable',
      message: expect.stringContaining('nothing is listening'),
    })
    await expect(connect(sshd, { host: 'no-such-host.invalid' }).run(['true'])).rejects.toMatchObject({
      step: 'resolve host',
    })
  })
})
