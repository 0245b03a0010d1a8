import { connect as connectSocket, isIP, type Socket } from 'node:net'
import { connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls'
import type { Client } from 'ldapts'
import { LDAP_TIMEOUT_MS } from '@flotilla/contract/limits'
import type { LdapSettings } from '@flotilla/contract/people/ldap-servers'
import { FORBIDDEN_ADDRESS, guardedLookup, isForbidden } from '../../network/outgoing'
import { LdapProblem, problemOf } from './problems'

export type Target = Pick<LdapSettings, 'url' | 'startTls' | 'ca'>
export type Entry = { dn: string; values(attribute: string): string[] }
type Search = { filter: string; scope: 'base' | 'sub'; attributes: string[]; limit: number }

/** An open connection. All operations on it together take at most `LDAP_TIMEOUT_MS`. */
export type Connection = {
  /**
   * Encrypts the connection if the settings require it, and always verifies the certificate; null without encryption.
   */
  secure(): Promise<PeerCertificate | null>
  /**
   * Whether the directory accepts this password. An empty password is never sent: the bind would be anonymous and
   * succeed.
   */
  bind(dn: string, password: string): Promise<boolean>
  search(base: string, search: Search): Promise<Entry[]>
  /** Escapes a value for a search filter (RFC 4515), so that user input cannot change the filter. */
  escapeFilter(value: string): string
  close(): void
}

/** The result codes of a bind with a wrong name or password, or to a locked account. */
const REFUSED_BINDS = new Set([19, 32, 34, 48, 49, 50, 53])

export const addressOf = ({ url }: Pick<Target, 'url'>) => {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return { host, port: port === '' ? (protocol === 'ldaps:' ? 636 : 389) : Number(port) }
}

export async function connect(target: Target): Promise<Connection> {
  const { host, port } = addressOf(target)
  const isLdaps = new URL(target.url).protocol === 'ldaps:'
  if (isIP(host) && isForbidden(host)) throw new LdapProblem(`${host} is ${FORBIDDEN_ADDRESS}`)
  const socket = connectSocket({ host, port, lookup: guardedLookup })
  // Rejects the operation in progress.
  let onTimeout: ((error: LdapProblem) => void) | undefined
  const timer = setTimeout(() => {
    onTimeout?.(
      new LdapProblem(`${host}:${port} did not respond within ${LDAP_TIMEOUT_MS / 1000} seconds`, true),
    )
    socket.destroy()
  }, LDAP_TIMEOUT_MS)
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await Promise.race([work, new Promise<never>((_, reject) => (onTimeout = reject))])
    } catch (error) {
      throw problemOf(error, `${host}:${port}`)
    }
  }
  const close = (): void => {
    clearTimeout(timer)
    socket.destroy()
  }

  try {
    await inTime(opened(socket, 'connect'))
  } catch (error) {
    close()
    throw error
  }
  const { Client, Filter } = await import('ldapts')
  const tlsOptions = {
    host,
    ...(isIP(host) ? {} : { servername: host }),
    ...(target.ca !== '' && { ca: target.ca }),
  }
  let line: Socket = socket
  let client: Client | undefined
  const ldap = (): Client =>
    (client ??= new Client({ url: 'ldap://established', createConnection: once(() => line) }))

  return {
    escapeFilter: Filter.escape,
    async secure() {
      if (!isLdaps && !target.startTls) return null
      if (isLdaps) {
        const encrypted = connectTls({ ...tlsOptions, socket })
        await inTime(opened(encrypted, 'secureConnect'))
        line = encrypted
        return encrypted.getPeerCertificate()
      }
      let encrypted: TLSSocket | undefined
      const upgrading = new Client({
        url: 'ldap://established',
        createConnection: once(() => socket),
        createSecureConnection: ((options: object) =>
          (encrypted = connectTls({ ...tlsOptions, ...options }))) as typeof connectTls,
      })
      await inTime(upgrading.startTLS())
      client = upgrading
      return encrypted?.getPeerCertificate() ?? null
    },
    async bind(dn, password) {
      if (password === '') return false
      try {
        await inTime(ldap().bind(dn, password))
        return true
      } catch (error) {
        if (error instanceof LdapProblem && REFUSED_BINDS.has(error.resultCode ?? 0)) return false
        throw error
      }
    },
    async search(base, { limit, ...search }) {
      const { searchEntries } = await inTime(
        ldap().search(base, { ...search, sizeLimit: limit, explicitBufferAttributes: ['objectGUID'] }),
      )
      return searchEntries.map(asEntry)
    },
    close,
  }
}

/** A client would reconnect by itself, and without encryption, so it gets only this one connection. */
function once(give: () => Socket): typeof connectSocket {
  let given = false
  return () => {
    if (given) throw new Error('The connection was closed')
    given = true
    return give()
  }
}

const opened = (socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once(event, () => resolve())
    // Never removed: a later error is reported by whatever is waiting for a response.
    socket.on('error', reject)
    socket.once('close', () => reject(new Error('The server closed the connection')))
  })

type Value = Buffer | string
function asEntry({ dn, ...attributes }: { dn: string; [attribute: string]: Value | Value[] }): Entry {
  const byName = new Map(Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    dn,
    values: (attribute) =>
      [byName.get(attribute.toLowerCase()) ?? []]
        .flat()
        .map((value) => (typeof value === 'string' ? value : value.toString('hex'))),
  }
}
