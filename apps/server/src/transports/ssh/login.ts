import dns from 'node:dns/promises'
import net from 'node:net'
import ssh2 from 'ssh2'
import { PRIVATE_HEAD_NODE } from '@flotilla/contract/clusters/inputs'
import { FORBIDDEN_ADDRESS, isForbidden, isPrivate } from '../../network/outgoing'
import { publicKeyIn } from '../../ssh-key'
import { errorCode, TransportError, type Reason, type Step } from '../error'
import { checkHostKey, fingerprint, hostKeyLine, preferred } from './host-key'

export interface SshTarget {
  host: string
  port: number
  username: string
  /** `missing`: why no login is possible yet; all steps before it can still be tested. */
  auth: { privateKey: string; passphrase?: string } | { password: string } | { missing: string }
  /** The pinned key, 'ssh-ed25519 AAAA...', or null before the first login to this host. */
  knownHostKey(): string | null | Promise<string | null>
  /** Called after the first login to a host whose key was not known. */
  pinHostKey(key: string): void | Promise<void>
  /** Whether the host may be this machine or one in a private network. Only called if it is. */
  mayBePrivate(): boolean | Promise<boolean>
  connectTimeoutMs?: number
}

type Place = Pick<SshTarget, 'host' | 'port' | 'mayBePrivate' | 'connectTimeoutMs'>

interface LoginOptions {
  signal?: AbortSignal
  /** Called as each step starts, and with its result when it succeeds. */
  onStep?: (step: Step, found?: string) => void
}

const CONNECT_MS = 10_000
/** A dead connection is detected after three keepalives without a reply. */
const keepaliveMs = 3_000

/** Runs step by step, so that a failure can be attributed to its step. */
export async function login(
  target: SshTarget,
  { signal, onStep = () => undefined }: LoginOptions = {},
): Promise<ssh2.Client> {
  const credentials = credentialsOf(target)
  const socket = await resolveAndConnect(target, { ...(signal && { signal }), onStep })
  try {
    const known = await target.knownHostKey()
    return await handshake(
      target,
      socket,
      known,
      { ...credentials, readyTimeout: target.connectTimeoutMs ?? CONNECT_MS },
      { signal, onStep },
    )
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** The current host key of a machine, without a login; of the known kind if the machine still has one. */
export async function showHostKey(target: Place, known: string | null): Promise<string> {
  const socket = await resolveAndConnect(target, { onStep: () => undefined })
  const client = new ssh2.Client()
  try {
    return await new Promise((resolve, reject) => {
      const fail = (error: Error) => reject(handshakeError(target, false, error))
      client.on('error', fail)
      client.on('close', () => fail(new Error('the connection was closed')))
      client.connect({
        sock: socket,
        username: 'nobody',
        readyTimeout: target.connectTimeoutMs ?? CONNECT_MS,
        algorithms: hostKeyKinds(known),
        hostVerifier: (key: Buffer) => {
          resolve(hostKeyLine(key))
          return false
        },
      })
    })
  } finally {
    client.destroy()
    socket.destroy()
  }
}

/** The preferred kinds are removed first, because prepending does not move kinds that are already in the list. */
const hostKeyKinds = (known: string | null): ssh2.Algorithms => ({
  serverHostKey: { remove: preferred(known), prepend: preferred(known), append: [] },
})

async function resolveAndConnect(
  { host, port, mayBePrivate, connectTimeoutMs = CONNECT_MS }: Place,
  { signal, onStep }: { signal?: AbortSignal; onStep: NonNullable<LoginOptions['onStep']> },
): Promise<net.Socket> {
  onStep('resolve host')
  const addresses = await dns.lookup(host, { all: true }).catch((error: unknown) => {
    throw new TransportError('resolve host', 'unreachable', nameMessage(host, error), { cause: error })
  })
  // Checked here, on the addresses that are connected to, because a name may resolve differently the next time.
  const forbidden = addresses.find(({ address }) => isForbidden(address))
  if (forbidden)
    throw new TransportError('resolve host', 'unusable', forbiddenMessage(host, forbidden.address))
  if (addresses.some(({ address }) => isPrivate(address)) && !(await mayBePrivate()))
    throw new TransportError(
      'resolve host',
      'unusable',
      `${host} is on a private network. ${PRIVATE_HEAD_NODE}`,
    )
  onStep('resolve host', `${host} resolves to ${addresses.map((one) => one.address).join(', ')}.`)
  signal?.throwIfAborted()

  onStep('connect')
  const socket = await openSocket(host, addresses, port, connectTimeoutMs, signal)
  onStep('connect', `Port ${port} is open.`)
  return socket
}

const nameMessage = (host: string, error: unknown) =>
  errorCode(error) === 'ENOTFOUND'
    ? `The hostname "${host}" was not found. Check the spelling, or enter its address.`
    : `The hostname "${host}" could not be resolved (${errorCode(error) ?? String(error)}). Check this server’s DNS.`

const forbiddenMessage = (host: string, address: string) =>
  `${host === address ? host : `"${host}" resolves to ${address}, which`} is ${FORBIDDEN_ADDRESS}. ` +
  'Enter the address of the head node.'

function openSocket(
  host: string,
  addresses: { address: string; family: number }[],
  port: number,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, lookup: (_host, _options, done) => done(null, addresses) })
    const cleanUp = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
    const end = (reason: Reason, message: string, cause?: unknown) => {
      cleanUp()
      socket.destroy()
      reject(new TransportError('connect', reason, message, { cause }))
    }
    const cancel = () => end('canceled', 'Connecting was canceled.')
    const timer = setTimeout(() => end('unreachable', silentMessage(host, port, timeoutMs)), timeoutMs)
    signal?.addEventListener('abort', cancel, { once: true })
    socket.once('connect', () => {
      cleanUp()
      resolve(socket)
    })
    socket.on('error', (error) => end('unreachable', connectMessage(host, port, error), error))
  })
}

const silentMessage = (host: string, port: number, timeoutMs: number) =>
  `${host} did not respond on port ${port} within ${timeoutMs / 1000} s. ` +
  'It may be powered off, or a firewall may be blocking the connection.'

function connectMessage(host: string, port: number, error: Error): string {
  const code = errorCode(error) ?? error.message
  if (code === 'ECONNREFUSED')
    return `${host} is up, but nothing is listening on port ${port}. Check the port, and that sshd is running.`
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return `There is no route to ${host}. Check its address and the network.`
  return `${host} could not be reached on port ${port}: ${code}.`
}

export const isReadableKey = (privateKey: string): boolean =>
  !(ssh2.utils.parseKey(privateKey) instanceof Error)

/** The key is parsed here, to distinguish an unreadable key from a rejected one. */
function credentialsOf({ username, auth }: SshTarget): ssh2.ConnectConfig {
  if ('password' in auth) return { username, password: auth.password, tryKeyboard: true }
  if ('missing' in auth) return { username }
  const key = ssh2.utils.parseKey(auth.privateKey, auth.passphrase)
  if (key instanceof Error)
    throw new TransportError(
      'log in',
      'unusable',
      `The private key for ${username} cannot be read: it is corrupted or of an unknown type, or its passphrase is wrong.`,
    )
  return { username, privateKey: auth.privateKey, passphrase: auth.passphrase }
}

function handshake(
  target: SshTarget,
  socket: net.Socket,
  known: string | null,
  config: ssh2.ConnectConfig,
  { signal, onStep }: { signal?: AbortSignal; onStep: NonNullable<LoginOptions['onStep']> },
): Promise<ssh2.Client> {
  const { host, username, auth } = target
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client()
    let shown: Buffer | undefined
    const end = (error: unknown) => {
      signal?.removeEventListener('abort', cancel)
      reject(error instanceof Error ? error : new Error(String(error)))
      client.destroy()
    }
    const cancel = () => end(new TransportError('log in', 'canceled', 'Logging in was canceled.'))
    signal?.addEventListener('abort', cancel, { once: true })
    client.on('error', (error) => end(handshakeError(target, shown !== undefined, error)))
    client.on('close', () =>
      end(handshakeError(target, shown !== undefined, new Error('the connection was closed'))),
    )
    client.on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) =>
      answer('password' in auth && prompts.length === 1 && !prompts[0]?.echo ? [auth.password] : []),
    )
    client.once('ready', () => {
      signal?.removeEventListener('abort', cancel)
      client.setNoDelay(true)
      onStep('log in', `Logged in as ${username}.`)
      Promise.resolve(known === null && shown ? target.pinHostKey(hostKeyLine(shown)) : undefined).then(
        () => resolve(client),
        end,
      )
    })
    onStep('check host key')
    client.connect({
      ...config,
      sock: socket,
      keepaliveInterval: keepaliveMs,
      keepaliveCountMax: 2,
      algorithms: hostKeyKinds(known),
      hostVerifier: (key: Buffer) => {
        try {
          checkHostKey(host, known, key)
        } catch (error) {
          end(error)
          return false
        }
        // Called again when keys are re-exchanged on an established connection.
        if (shown) return true
        shown = key
        const print = fingerprint(key)
        onStep(
          'check host key',
          known === null
            ? `${print}, seen for the first time and now trusted.`
            : `${print}, already trusted.`,
        )
        onStep('log in')
        if (!('missing' in auth)) return true
        end(new TransportError('log in', 'refused', auth.missing))
        return false
      },
    })
  })
}

function handshakeError(
  { host, port, username = '', auth }: Place & Partial<SshTarget>,
  keyShown: boolean,
  error: Error & { level?: string },
): TransportError {
  if (error.level === 'client-authentication')
    return new TransportError(
      'log in',
      'refused',
      auth && 'password' in auth
        ? `${host} rejected the password of ${username}.`
        : `${host} rejected the key for ${username}. Add the public key to ~${username}/.ssh/authorized_keys there.`,
      auth && 'privateKey' in auth ? { publicKey: publicKeyIn(auth.privateKey) } : {},
    )
  if (error.level === 'client-timeout')
    return keyShown
      ? new TransportError(
          'log in',
          'timed out',
          `${host} did not finish the login in time. It may be overloaded.`,
        )
      : new TransportError(
          'start SSH',
          'timed out',
          `Port ${port} of ${host} accepts connections, but SSH does not respond on it.`,
        )
  if (!keyShown)
    return new TransportError(
      'start SSH',
      'not ssh',
      `Port ${port} of ${host} responds, but the SSH handshake failed: ${error.message}.`,
      { cause: error },
    )
  return new TransportError(
    'log in',
    'lost',
    `The connection to ${host} was lost during the login: ${error.message}.`,
    { cause: error },
  )
}
