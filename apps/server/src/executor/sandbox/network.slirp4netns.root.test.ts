import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import {
  connectNamespaces,
  openNetworkNamespace,
  type NetworkNamespace,
} from '../../../test/support/machines/network-namespace'
import { buildExecutor, startExecutor } from '../../../test/support/schedulers/executor'
import { executorPerson, outputOf, submitAs } from '../../../test/support/schedulers/executor-people'

// The executor's machine and another machine are connected directly.

let program: string[]
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ program, remove } = await buildExecutor())
})
afterAll(() => remove())

const here = '198.18.77.1'
const there = '198.18.77.2'
/** An address of the executor's machine on the loopback device, as used with load balancers. */
const floating = '198.18.77.9'
const ports = { own: 8076, open: 8077, blocked: 8078 }

async function openMachine(): Promise<NetworkNamespace> {
  const machine = await openNetworkNamespace()
  onTestFinished(() => machine.close())
  return machine
}

/** Listens on this port on all addresses of the machine. */
async function listen(machine: NetworkNamespace, port: number): Promise<void> {
  const script = `require('node:net').createServer((socket) => socket.end()).listen(${port}, () => console.log('up'))`
  const [command = '', ...args] = machine.within([process.execPath, '-e', script])
  const server = spawn(command, args)
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await once(server, 'close')
  })
  await once(server.stdout, 'data')
}

test('a job can connect to other machines, but not to its own machine or blocked destinations', async () => {
  const own = await openMachine()
  const other = await openMachine()
  connectNamespaces([
    { namespace: own, address: `${here}/30` },
    { namespace: other, address: `${there}/30` },
  ])
  own.ip('addr', 'add', `${floating}/32`, 'dev', 'lo')
  await listen(own, ports.own)
  await listen(other, ports.open)
  await listen(other, ports.blocked)

  const executor = await startExecutor(own.within(program), [{ name: 'n1', cores: 2, gpus: 0 }])
  const anna = await executorPerson(executor, 'anna', 790_021)
  const connect = (name: string, host: string, at: number) =>
    `(exec 3<>/dev/tcp/${host}/${at}) 2>/dev/null && echo ${name} reached || echo ${name} refused`
  const script = [
    connect('there', there, ports.open),
    connect('database', there, ports.blocked),
    connect('here', here, ports.own),
    connect('floating', floating, ports.own),
    connect('metadata', '169.254.169.254', 80),
  ].join('\n')
  const network = { machine: false, block: [{ address: there, port: ports.blocked }] }
  await executor.ended(await submitAs(executor, anna, script, { network }))
  expect(await outputOf(anna)).toBe(
    'there reached\ndatabase refused\nhere refused\nfloating refused\nmetadata refused\n',
  )
})
