import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import ssh2 from 'ssh2'
import { freePort } from '../../../src/db/embedded/postmaster'
import { makeSshKey } from '../../../src/ssh-key'
import { installTorque } from '../schedulers/torque/install'

export type HostileHead = {
  host: string
  port: number
  /** A key for logging in, though any key is accepted. */
  privateKey: string
  /** The accounts used so far, by login or by sudo, in order. */
  used: string[]
  /** Accounts that may no longer log in. */
  refused: Set<string>
  /** Closes the server and listens on another port. */
  move(): Promise<number>
  /** Restarts the server with another host key. */
  changeHostKey(): Promise<void>
  close(): Promise<void>
}

/**
 * A head node that accepts any key for any account, has a sudo that permits everything, and records which accounts were
 * used. It has a replayed Torque.
 */
export async function startHostileHead(folder: string): Promise<HostileHead> {
  const torque = await installTorque(folder)
  const used: string[] = []
  const refused = new Set<string>()
  const sudo = `#!/bin/sh\nwhile [ "$1" != -u ]; do shift; done\nUSED=$2\nshift 2\n[ "$1" = -- ] && shift\necho "$USED" >&3\nexec "$@"\n`
  await writeFile(path.join(torque.bin, 'sudo'), sudo, { mode: 0o755 })
  const getent = '#!/bin/sh\neval name=\\${$#}\necho "$name:x:1001:1001::/home/$name:/bin/sh"\n'
  await writeFile(path.join(torque.bin, 'getent'), getent, { mode: 0o755 })

  const sites = new Map<string, ReturnType<typeof installTorque>>()
  const run = async (channel: ssh2.ServerChannel, username: string, command: string) => {
    const site = sites.get(username) ?? installTorque(folder, username)
    sites.set(username, site)
    const { bin } = await site
    const home = path.join(folder, `home-${username}`)
    mkdirSync(home, { recursive: true })
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: home,
      env: { HOME: home, PATH: `${bin}:${torque.bin}:/usr/bin:/bin` },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
    child.stdio[3]?.on('data', (data: Buffer) => used.push(...data.toString().trim().split('\n')))
    channel.pipe(child.stdin)
    child.stdin.on('error', () => {})
    child.stdout.pipe(channel, { end: false })
    child.stderr.pipe(channel.stderr, { end: false })
    channel.on('close', () => child.kill())
    child.on('close', (code) => {
      channel.exit(code ?? 1)
      channel.end()
    })
  }
  const serve = (hostKey: string) =>
    new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
      let username = ''
      client.on('error', () => {})
      client.on('authentication', (context) => {
        if (context.method !== 'publickey') return context.reject(['publickey'])
        username = context.username
        if (refused.has(username)) return context.reject(['publickey'])
        // A client first offers its key without a signature; only the signed request is a login.
        if (context.signature) used.push(username)
        context.accept()
      })
      client.on('session', (accept) => {
        const session = accept()
        session.on('pty', (agree) => agree?.())
        session.on('window-change', (agree) => agree?.())
        session.on('exec', (agree, _refuse, { command }) => void run(agree(), username, command))
        session.on('shell', (agree) => void run(agree(), username, '/bin/sh -i'))
        session.on('subsystem', (agree) => void run(agree(), username, '/usr/lib/openssh/sftp-server'))
      })
    })

  let server: ssh2.Server
  const open = new Set<{ end(): void }>()
  const listen = async (port: number, hostKey: string) => {
    server = serve(hostKey)
    server.on('connection', (client) => open.add(client.on('close', () => open.delete(client))))
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  }
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const client of open) client.end()
    })
  let hostKey = makeSshKey('head').privateKey
  const head: HostileHead = {
    host: '127.0.0.1',
    port: await freePort(),
    privateKey: makeSshKey('owner').privateKey,
    used,
    refused,
    async move() {
      await close()
      head.port = await freePort()
      await listen(head.port, hostKey)
      return head.port
    },
    async changeHostKey() {
      await close()
      hostKey = makeSshKey('head').privateKey
      await listen(head.port, hostKey)
    },
    close,
  }
  await listen(head.port, hostKey)
  return head
}
