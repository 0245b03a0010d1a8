import { spawn, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { schedulers } from '../../../src/schedulers/registry'
import { sshTransport } from '../../../src/transports/ssh/ssh'
import type { ClusterConnection } from '../../../src/modules/clusters/commands/connection'
import { testLog } from '../log'
import type { TestMachine } from './machines'

export interface HeadLink {
  /** The connection as the console's own account. */
  connection: ClusterConnection
  as(login: { username: string; privateKey: string; sudoAs?: string }): ClusterConnection
  close(): Promise<void>
}

/** Connects to a machine in a separate network: each connection to a local port starts an sshd inside the machine. */
export async function linkTo(machine: TestMachine, privateKey: string): Promise<HeadLink> {
  await machine.run(['sh', '-c', 'mkdir -p /run/sshd; ssh-keygen -A'])
  const children = new Set<ChildProcess>()
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const [program = '', ...args] = machine.inside(['/usr/sbin/sshd', '-i', '-e', '-o', 'UsePAM=no'])
    const child = spawn(program, args, { stdio: [socket, socket, 'ignore'] })
    children.add(child)
    child.on('close', () => children.delete(child))
    socket.on('error', () => {})
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Border: a server that listens on a port has an address of this type.
  const { port } = server.address() as AddressInfo
  const open: ClusterConnection[] = []
  const as: HeadLink['as'] = ({ username, sudoAs, ...auth }) => {
    let known: string | null = null
    const transport = sshTransport(
      {
        host: '127.0.0.1',
        port,
        username,
        auth,
        ...(sudoAs && { sudoAs }),
        env: {},
        knownHostKey: async () => known,
        mayBePrivate: () => true,
        pinHostKey: async (key) => void (known = key),
      },
      testLog().log,
    )
    const account = sudoAs ?? username
    const made = { transport, scheduler: schedulers.slurm, account, home: `/home/${account}` }
    open.push(made)
    return made
  }
  return {
    connection: as({ username: 'flotilla', privateKey }),
    as,
    async close() {
      for (const { transport } of open) await transport.close()
      server.close()
      for (const child of children) child.kill('SIGKILL')
    },
  }
}
