import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

/** A network with only a loopback interface, which is still down. Opening one requires root. */
export interface NetworkNamespace {
  pid: number
  /** The command line that runs a program in the namespace. */
  within(argv: string[]): string[]
  ip(...words: string[]): void
  close(): Promise<void>
}

/**
 * Tests change interfaces and addresses only in namespaces: browser tests run at the same time, and a browser aborts
 * its requests when the network of its machine changes.
 */
export async function openNetworkNamespace(): Promise<NetworkNamespace> {
  const hold = ['--net', 'setpriv', '--pdeathsig', 'KILL', 'sh', '-c', 'echo; exec sleep infinity']
  const holder = spawn('unshare', hold, { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(holder.stdout, 'data')
  const pid = holder.pid ?? 0
  const within = (argv: string[]) => ['nsenter', '--target', String(pid), '--net', ...argv]
  return {
    pid,
    within,
    ip(...words) {
      const [program = '', ...args] = within(['ip', ...words])
      const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
      if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`)
    },
    async close() {
      const closed = once(holder, 'close')
      holder.kill('SIGKILL')
      await closed
    },
  }
}

/** Connects two namespaces with a virtual cable; `address` includes the prefix length, such as 10.0.0.1/24. */
export function connectNamespaces(ends: [End, End]): void {
  const [{ namespace: first }, { namespace: second }] = ends
  first.ip('link', 'add', 'net0', 'type', 'veth', 'peer', 'name', 'net0', 'netns', String(second.pid))
  for (const { namespace, address } of ends) {
    namespace.ip('addr', 'add', address, 'dev', 'net0')
    namespace.ip('link', 'set', 'net0', 'up')
    namespace.ip('link', 'set', 'lo', 'up')
  }
}
interface End {
  namespace: NetworkNamespace
  address: string
}
