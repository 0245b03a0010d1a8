import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testFolder } from '../../../test/support/folder'
import { until } from '../../../test/support/until'
import { connect, sshdOfTest } from '../../../test/support/machines/ssh-connection'
import { soakIt } from '../../../test/support/soak'

/** A proxy to the port that drops the connection after this many bytes. */
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
  it('that is cut off by a lost connection is not passed to the command', async () => {
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

describe('ssh: connection', () => {
  it('is restored automatically after a drop, and its state is reported', async () => {
    const sshd = await sshdOfTest()
    const { run, transport } = connect(sshd)
    const states: boolean[] = []
    transport.onStateChange(({ healthy }) => states.push(healthy))
    await run(['true'])
    const outcome = run(['sleep', '600']).catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(sshd.dropConnections()).toBeGreaterThan(0)
    expect(await outcome).toMatchObject({ reason: 'lost' })
    // It reconnects in the background, without a call.
    await until(() => transport.healthy())
    expect(states).toEqual([true, false, true])
    expect((await run(['echo', 'back'])).stdout).toBe('back\n')
  })

  soakIt('is restored in the background when a stopped sshd is started again', async () => {
    const sshd = await sshdOfTest()
    const { run, transport } = connect(sshd)
    await run(['true'])
    await sshd.stop()
    await until(() => transport.state().error?.reason === 'unreachable')
    await sshd.start()
    await until(() => transport.healthy())
    expect((await run(['true'])).code).toBe(0)
  })

  it('enforces the timeout when the remote host hangs', async () => {
    const sshd = await sshdOfTest()
    const { run } = connect(sshd)
    await run(['true'])
    sshd.freeze()
    await expect(run(['echo', 'x'], 500)).rejects.toMatchObject({ step: 'open channel', reason: 'timed out' })
    sshd.thaw()
    expect((await until(() => run(['echo', 'x']).catch(() => undefined))).stdout).toBe('x\n')
  })

  soakIt('is detected as dead without a call', async () => {
    const sshd = await sshdOfTest()
    const { run, transport } = connect(sshd)
    await run(['true'])
    sshd.freeze()
    await until(() => !transport.healthy())
    expect(transport.state().error).toMatchObject({ reason: 'lost' })
    sshd.thaw()
    await until(() => transport.healthy())
  })

  it('continues a tail after a drop without duplicate or missing bytes', async () => {
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
  it('are limited to what the remote host allows, and further commands are queued', async () => {
    const sshd = await sshdOfTest(['MaxSessions 3'])
    const { run, transport } = connect(sshd)
    await transport.files('/').stat('etc')
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, index) => run(['echo', String(index)], 250_000)),
    )
    expect(all.map(({ stdout }) => Number(stdout))).toEqual(Array.from({ length: 100 }, (_, index) => index))
  })

  it('are reserved for commands, and too many terminals are rejected', async () => {
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

  it('drop the output of shell profiles from that of a command', async () => {
    const sshd = await sshdOfTest([
      'ForceCommand echo Welcome to the cluster; echo quota >&2; exec sh -c "$SSH_ORIGINAL_COMMAND"',
    ])
    const { run } = connect(sshd)
    expect(await run(['sh', '-c', 'echo out; echo err >&2'])).toMatchObject({
      stdout: 'out\n',
      stderr: 'err\n',
    })
  })

  it('report the message of an account without a shell', async () => {
    const sshd = await sshdOfTest(['ForceCommand echo This account is not available >&2; exit 1'])
    await expect(connect(sshd).run(['true'])).rejects.toMatchObject({
      step: 'run command',
      reason: 'unusable',
      message: expect.stringContaining('This account is not available'),
    })
  })

  it('report that sudo is refused', async () => {
    const sshd = await sshdOfTest()
    await expect(connect(sshd, { sudoAs: 'no-such-account' }).run(['true'])).rejects.toMatchObject({
      step: 'switch account',
      reason: 'refused',
      message: expect.stringContaining('no-such-account'),
    })
  })
})

describe('ssh: secrets', () => {
  it('in stdin are visible neither to other processes nor in the log', async () => {
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
