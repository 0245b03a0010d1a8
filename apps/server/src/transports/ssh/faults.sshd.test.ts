import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import dns from 'node:dns/promises'
import net from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { testLog } from '../../../test/support/log'
import { startSshd, type TestSshd } from '../../../test/support/sshd'
import { until } from '../../../test/support/until'
import { fingerprintOfLine } from './host-key'
import { sshTransport, type SshOptions } from './ssh'
import { showHostKey } from './login'

async function sshdOfTest(lines: string[] = []): Promise<TestSshd> {
  const sshd = await startSshd({ lines })
  onTestFinished(() => sshd.remove())
  return sshd
}

function connect(sshd: TestSshd, more: Partial<SshOptions> = {}) {
  const pinned: string[] = []
  const { log, lines } = testLog()
  const transport = sshTransport(
    {
      host: '127.0.0.1',
      port: sshd.port,
      username: sshd.username,
      auth: { privateKey: sshd.privateKey },
      knownHostKey: () => pinned.at(-1) ?? null,
      mayBePrivate: () => true,
      pinHostKey: (key) => void pinned.push(key),
      ...more,
    },
    log,
  )
  onTestFinished(() => transport.close())
  const run = (argv: string[], timeoutMs = 20_000) => transport.exec(argv, { timeoutMs })
  return { transport, run, pinned, lines }
}

/** A way to the port that breaks after so many bytes. */
async function breaking(port: number, bytes: number): Promise<number> {
  const proxy = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1')
    let left = bytes
    near.on('data', (data) => {
      far.write(data.subarray(0, left))
      left -= data.length
      if (left <= 0) for (const end of [near, far]) end.destroySoon()
    })
    far.on('data', (data) => near.write(data))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy())
  })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close())
  return (proxy.address() as net.AddressInfo).port
}

describe('ssh: input', () => {
  it('that breaks off on the way is not acted upon', async () => {
    const sshd = await sshdOfTest()
    const { transport } = connect(sshd, { port: await breaking(sshd.port, 300_000) })
    const where = await testFolder()
    const isRunning = () => {
      const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
      return all.includes(`${where}/got`)
    }
    const script = `cat > ${where}/got`
    const stdin = 'echo line\n'.repeat(50_000)
    const begun = transport.exec(['sh', '-c', script], { stdin, timeoutMs: 20_000 })
    await expect(begun).rejects.toMatchObject({ reason: 'lost' })
    await until(() => !isRunning())
    expect(existsSync(`${where}/got`)).toBe(false)
    const { transport: whole } = connect(sshd)
    expect((await whole.exec(['sh', '-c', script], { stdin, timeoutMs: 20_000 })).code).toBe(0)
    expect(await readFile(`${where}/got`, 'utf8')).toBe(stdin)
  })
})

describe('ssh: host key', () => {
  it('is pinned at the first login and refused when it changes, with both fingerprints', async () => {
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

  it('is requested in the kind that is known, when the host has several', async () => {
    const folder = await testFolder()
    execFileSync('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-N', '', '-f', path.join(folder, 'rsa')])
    const sshd = await sshdOfTest([`HostKey ${path.join(folder, 'rsa')}`])
    const known = await readFile(path.join(folder, 'rsa.pub'), 'utf8')
    expect((await connect(sshd, { knownHostKey: () => known }).run(['true'])).code).toBe(0)
    expect((await connect(sshd, { knownHostKey: () => sshd.hostKey() }).run(['true'])).code).toBe(0)
  })

  it('is shown without a login, of the kind that is known', async () => {
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

  it('is not looked up twice: a name that leads into a private network the second time does not get there', async () => {
    const sshd = await sshdOfTest()
    const lookup = vi.spyOn(dns, 'lookup')
    onTestFinished(() => lookup.mockRestore())
    // The name server is the attacker's: first an address that nothing answers at, then this machine.
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

  it('is not pinned when no one could log in', async () => {
    const sshd = await sshdOfTest()
    const { run, pinned } = connect(sshd, { auth: { privateKey: sshd.strangerKey } })
    await expect(run(['true'])).rejects.toMatchObject({ step: 'log in' })
    expect(pinned).toEqual([])
  })
})

describe('ssh: login', () => {
  it('says that the key is not accepted, and does not ask again and again', async () => {
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

  it('tells a damaged key apart from one that is not accepted', async () => {
    const sshd = await sshdOfTest()
    const { run } = connect(sshd, { auth: { privateKey: 'no key at all' } })
    await expect(run(['true'])).rejects.toMatchObject({ step: 'log in', reason: 'unusable' })
  })

  it('names the step when nothing is there', async () => {
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

describe('ssh: connection', () => {
  it('comes back on its own after a drop, and says so', async () => {
    const sshd = await sshdOfTest()
    const { run, transport } = connect(sshd)
    const states: boolean[] = []
    transport.onStateChange(({ healthy }) => states.push(healthy))
    await run(['true'])
    const outcome = run(['sleep', '600']).catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(sshd.dropConnections()).toBeGreaterThan(0)
    expect(await outcome).toMatchObject({ reason: 'lost' })
    // No one asks: it comes back in the background.
    await until(() => transport.healthy())
    expect(states).toEqual([true, false, true])
    expect((await run(['echo', 'back'])).stdout).toBe('back\n')
  })

  it('waits out a stopped sshd in the background', async () => {
    const sshd = await sshdOfTest()
    const { run, transport } = connect(sshd)
    await run(['true'])
    await sshd.stop()
    await until(() => transport.state().error?.reason === 'unreachable')
    await sshd.start()
    await until(() => transport.healthy())
    expect((await run(['true'])).code).toBe(0)
  })

  it('keeps to the time limit when the far side hangs', async () => {
    const sshd = await sshdOfTest()
    const { run } = connect(sshd)
    await run(['true'])
    sshd.freeze()
    await expect(run(['echo', 'x'], 500)).rejects.toMatchObject({ step: 'open channel', reason: 'timed out' })
    sshd.thaw()
    expect((await until(() => run(['echo', 'x']).catch(() => undefined))).stdout).toBe('x\n')
  })

  it('notices a dead link without being asked', async () => {
    const sshd = await sshdOfTest()
    const { run, transport } = connect(sshd)
    await run(['true'])
    sshd.freeze()
    await until(() => !transport.healthy())
    expect(transport.state().error).toMatchObject({ reason: 'lost' })
    sshd.thaw()
    await until(() => transport.healthy())
  })

  it('continues with a tail after a drop, without a byte twice or missing', async () => {
    const sshd = await sshdOfTest()
    const { transport } = connect(sshd)
    const root = await testFolder()
    const file = path.join(root, 'log')
    await writeFile(file, 'a'.repeat(1000))
    const stop = new AbortController()
    let seen = ''
    const following = (async () => {
      for await (const piece of transport.files(root).tail('log', { from: 0, signal: stop.signal })) {
        expect(piece.offset).toBe(seen.length)
        seen += piece.data.toString()
      }
    })()
    await until(() => seen.length === 1000)
    sshd.dropConnections()
    await appendFile(file, 'b'.repeat(1000))
    await until(() => seen.length === 2000)
    expect(seen).toBe('a'.repeat(1000) + 'b'.repeat(1000))
    stop.abort()
    await following
  })

  it('resumes an upload after a drop', async () => {
    const sshd = await sshdOfTest()
    const { transport } = connect(sshd)
    const files = transport.files(await testFolder())
    const data = Buffer.alloc(300_000, 'xyz')
    const dropped = async function* () {
      yield data.subarray(0, 100_000)
      sshd.dropConnections()
      yield data.subarray(100_000)
    }
    await expect(files.write('up', dropped(), { how: 0 })).rejects.toMatchObject({ reason: 'lost' })
    const { size } = await until(() => files.stat('up').catch(() => undefined))
    await files.write('up', data.subarray(size), { how: size })
    expect(await files.readText('up', { maxBytes: 1_000_000 })).toBe(data.toString())
  })
})

describe('ssh: channels', () => {
  it('learns how many the far side allows, and queues the rest', async () => {
    const sshd = await sshdOfTest(['MaxSessions 3'])
    const { run, transport } = connect(sshd)
    await transport.files('/').stat('etc')
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, index) => run(['echo', String(index)], 250_000)),
    )
    expect(all.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: 100 }, (_, index) => index))
  })

  it('leaves room for commands beside terminals, and says when there are too many', async () => {
    const sshd = await sshdOfTest()
    const { run, transport } = connect(sshd, { maxChannels: 4 })
    const first = await transport.shell({ cols: 80, rows: 24 })
    await transport.shell({ cols: 80, rows: 24 })
    await expect(transport.shell({ cols: 80, rows: 24 })).rejects.toMatchObject({
      step: 'open channel',
      reason: 'busy',
    })
    expect((await run(['true'])).code).toBe(0)
    await first.kill()
    const again = await transport.shell({ cols: 80, rows: 24 })
    const exit = new Promise((resolve) => again.onExit(resolve))
    sshd.dropConnections()
    expect(await exit).toMatchObject({ code: null, error: { reason: 'lost' } })
  })

  it('drops the chatter of shell profiles from what a command says', async () => {
    const sshd = await sshdOfTest([
      'ForceCommand echo Welcome to the cluster; echo quota >&2; exec sh -c "$SSH_ORIGINAL_COMMAND"',
    ])
    const { run } = connect(sshd)
    expect(await run(['sh', '-c', 'echo out; echo err >&2'])).toMatchObject({
      stdout: 'out\n',
      stderr: 'err\n',
    })
  })

  it('says what an account without a shell says', async () => {
    const sshd = await sshdOfTest(['ForceCommand echo This account is not available >&2; exit 1'])
    await expect(connect(sshd).run(['true'])).rejects.toMatchObject({
      step: 'run command',
      reason: 'unusable',
      message: expect.stringContaining('This account is not available'),
    })
  })

  it('says that sudo is refused', async () => {
    const sshd = await sshdOfTest()
    await expect(connect(sshd, { sudoAs: 'no-such-account' }).run(['true'])).rejects.toMatchObject({
      step: 'switch account',
      reason: 'refused',
      message: expect.stringContaining('no-such-account'),
    })
  })
})

describe('ssh: secrets', () => {
  it('shows standard input to no one', async () => {
    const sshd = await sshdOfTest()
    const { transport, lines } = connect(sshd)
    const running = await transport.stream(['sh', '-c', 'read secret; echo ready; sleep 600'])
    running.stderr.resume()
    running.stdin.write('s3cr3t-value\n')
    await new Promise((resolve) => running.stdout.once('data', resolve))
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain('s3cr3t-value')
    await running.kill()
    expect(lines()).not.toContain('s3cr3t-value')
  })
})
