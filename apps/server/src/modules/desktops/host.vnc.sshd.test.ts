import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { testLog } from '../../../test/support/log'
import { sshOptions } from '../../../test/support/machines/ssh-connection'
import { startSshd, type TestSshd } from '../../../test/support/machines/sshd'
import { until } from '../../../test/support/until'
import { schedulers } from '../../schedulers/registry'
import { sshTransport } from '../../transports/ssh/ssh'
import { makeDesktopHost } from './host'
import { DesktopGone } from './streams'

let sshd: TestSshd
beforeAll(async () => {
  sshd = await startSshd()
})
afterAll(() => sshd.remove())

const queries: Parameters<typeof makeDesktopHost>[0] = {
  query: () => Promise.reject(new Error('it is no job')),
  withUserFacingErrors: (work) => work,
}
const host = makeDesktopHost(queries)
const connect = () => {
  const transport = sshTransport(sshOptions(sshd), testLog().log)
  onTestFinished(() => transport.close())
  return { transport, scheduler: schedulers.slurm, account: sshd.username, home: sshd.home }
}
const given = (id: string) => ({
  id,
  clusterId: 'c1',
  clusterName: 'Far',
  password: 'pass4321',
  asJob: false,
})
const start = async (connection: ReturnType<typeof connect>, id: string) => {
  const started = await host.start(connection, given(id))
  await host.waitUntilUp(connection, id)
  return started
}
const run = (command: string) => execFileSync('sh', ['-c', command], { encoding: 'utf8' })
/** Waits for the process of this name in a desktop. */
const processOf = (id: string, name: string): Promise<number> =>
  until(() =>
    Number(
      run(
        `for f in $(grep -lsazx FLOTILLA_DESKTOP=${id} /proc/[0-9]*/environ); do p=\${f#/proc/}; p=\${p%/environ}; echo "$p $(cat /proc/$p/comm)"; done`,
      )
        .split('\n')
        .find((line) => line.endsWith(` ${name}`))
        ?.split(' ')[0],
    ),
  )

it('starts over SSH, survives a lost connection, is found again and ends with all of its processes', async () => {
  const first = connect()
  const { folder, job } = await start(first, 'd1')
  expect(job).toBeNull()
  expect(folder).toBe(path.join(sshd.home, '.flotilla/desktops/d1'))
  const link = await host.connect(first, 'd1', 'pass4321')
  // Nothing is read before a reader is attached.
  expect(link.stream.output.isPaused()).toBe(true)
  expect(link.reader.rest()).toHaveLength(0)
  link.write(Buffer.from([1]))
  const screen = await new Promise<Buffer>((resolve) => {
    link.stream.read(resolve)
    link.stream.output.resume()
  })
  expect(screen.readUInt16BE(0)).toBe(1280)
  sshd.dropConnections()
  await expect(link.reader.read(1)).rejects.toThrow(/ended|lost/)

  const second = connect()
  await host.probe(second, 'd1')
  await expect(host.connect(second, 'd1', 'wrong')).rejects.toThrow('did not accept its password')
  // Only its account can access the socket; there is no port, no visible password and no open display.
  expect(statSync(path.join(folder, 'rfb.sock')).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(run(`grep -lsazx FLOTILLA_DESKTOP=d1 /proc/[0-9]*/environ | wc -l`).trim()).not.toBe('0')
  expect(run('ps -eo args')).not.toContain('pass4321')
  const display = run(`cat ${folder}/display`).trim()
  const stranger = spawnSync('sh', ['-c', `HOME=/ DISPLAY=:${display} xterm -e true`])
  expect(stranger.status).not.toBe(0)

  await host.end(second, 'd1', null)
  expect(existsSync(folder)).toBe(false)
  expect(run('grep -lsazx FLOTILLA_DESKTOP=d1 /proc/[0-9]*/environ || true')).toBe('')
  await expect(host.probe(second, 'd1')).rejects.toThrow(DesktopGone)
})

it('is waited for while its socket exists but does not accept connections yet', async () => {
  const connection = connect()
  const folder = path.join(sshd.home, '.flotilla/desktops/early')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'run'), '')
  const late = `use Socket; socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("rfb.sock")); sleep 1;
    listen(S, 1); accept(C, S); syswrite(C, "RFB 003.008\\n"); sleep 60`
  const server = spawn('sh', ['-c', `exec perl -e '${late}'`], { cwd: folder, stdio: 'ignore' })
  onTestFinished(() => void server.kill())
  await until(() => existsSync(path.join(folder, 'rfb.sock')))
  await expect(host.waitUntilUp(connection, 'early')).resolves.toBeUndefined()
})

it('times out when it does not respond, and can be ended', async () => {
  const connection = connect()
  const { folder } = await start(connection, 'stopped')
  const impatient = makeDesktopHost(queries, 500)
  process.kill(await processOf('stopped', 'Xvnc'), 'SIGSTOP')
  await expect(impatient.probe(connection, 'stopped')).rejects.toThrow('is not responding')
  await expect(impatient.connect(connection, 'stopped', 'pass4321')).rejects.toThrow('is not responding')
  // The relay has ended.
  const inFolder = `for f in $(find /proc -maxdepth 2 -name cwd -lname '${folder}' 2>/dev/null); do cat "\${f%/cwd}/comm"; done; true`
  expect(run(inFolder)).toContain('Xvnc')
  await until(() => !/perl|python/.test(run(inFolder)))
  await host.end(connection, 'stopped', null)
  expect(existsSync(folder)).toBe(false)
  expect(run('grep -lsazx FLOTILLA_DESKTOP=stopped /proc/[0-9]*/environ || true')).toBe('')
})

it('is ended if the console forgot it and the user starts another one', async () => {
  const connection = connect()
  await start(connection, 'forgotten')
  await Promise.all([start(connection, 'd2'), start(connection, 'd2')])
  await expect(host.probe(connection, 'forgotten')).rejects.toThrow(DesktopGone)
  expect(run('grep -lsazx FLOTILLA_DESKTOP=forgotten /proc/[0-9]*/environ || true')).toBe('')
  await host.end(connection, 'd2', null)
})

it('cleans up after itself when the user logs out of it', async () => {
  const connection = connect()
  const { folder } = await start(connection, 'd3')
  process.kill(await processOf('d3', 'openbox'))
  await until(() => !existsSync(folder))
  await expect(host.probe(connection, 'd3')).rejects.toThrow(DesktopGone)
})
