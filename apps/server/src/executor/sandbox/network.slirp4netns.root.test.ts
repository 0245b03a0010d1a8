import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildExecutor, startExecutor } from '../../../test/support/schedulers/executor'
import { executorPerson, outputOf, submitAs } from '../../../test/support/schedulers/executor-people'

// Another machine, played by a network of its own at the end of a cable, which only root can lay.

let program: string[]
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ program, remove } = await buildExecutor())
})
afterAll(() => remove())

const here = '198.18.77.1'
const there = '198.18.77.2'
/** Of this machine as well, but not of a network card: as load balancers have it. */
const floating = '198.18.77.9'
const ports = { open: 8077, blocked: 8078 }

async function layCable(): Promise<void> {
  const listen = `for (const port of [${Object.values(ports).join()}])
    require('node:net').createServer((socket) => socket.end()).listen(port, '${there}', () => console.log('up'))`
  const wait = `until ip addr show dev fl-there 2>/dev/null | grep -q ${there}; do sleep 0.05; done`
  const other = spawn('unshare', [
    '--net',
    'sh',
    '-c',
    `${wait}; exec "$@"`,
    'sh',
    process.execPath,
    '-e',
    listen,
  ])
  onTestFinished(async () => {
    other.kill('SIGKILL')
    await once(other, 'close')
  })
  await once(other, 'spawn')
  const ip = (...words: string[]) => execFileSync('ip', words)
  ip('link', 'add', 'fl-here', 'type', 'veth', 'peer', 'name', 'fl-there')
  onTestFinished(() => void execFileSync('sh', ['-c', 'ip link del fl-here 2>/dev/null || true']))
  ip('addr', 'add', `${here}/30`, 'dev', 'fl-here')
  ip('link', 'set', 'fl-here', 'up')
  ip('addr', 'add', `${floating}/32`, 'dev', 'lo')
  onTestFinished(() => void execFileSync('ip', ['addr', 'del', `${floating}/32`, 'dev', 'lo']))
  ip('link', 'set', 'fl-there', 'netns', String(other.pid))
  const inside = (...words: string[]) =>
    execFileSync('nsenter', ['--net', '--target', String(other.pid), 'ip', ...words])
  inside('link', 'set', 'fl-there', 'up')
  inside('addr', 'add', `${there}/30`, 'dev', 'fl-there')
  await once(other.stdout, 'data')
}

test('a job reaches other machines, but neither this one nor what is blocked', async () => {
  await layCable()
  const ours = createServer((socket) => socket.end())
  ours.listen(0)
  await once(ours, 'listening')
  onTestFinished(() => void ours.close())
  const address = ours.address()
  const port = typeof address === 'object' ? address?.port : undefined

  const executor = await startExecutor(program, [{ name: 'n1', cores: 2, gpus: 0 }])
  const anna = await executorPerson(executor, 'anna', 790_021)
  const connect = (name: string, host: string, at: number | undefined) =>
    `(exec 3<>/dev/tcp/${host}/${at}) 2>/dev/null && echo ${name} reached || echo ${name} refused`
  const script = [
    connect('there', there, ports.open),
    connect('database', there, ports.blocked),
    connect('here', here, port),
    connect('floating', floating, port),
    connect('metadata', '169.254.169.254', 80),
  ].join('\n')
  const network = { machine: false, block: [{ address: there, port: ports.blocked }] }
  await executor.ended(await submitAs(executor, anna, script, { network }))
  expect(await outputOf(anna)).toBe(
    'there reached\ndatabase refused\nhere refused\nfloating refused\nmetadata refused\n',
  )
})
