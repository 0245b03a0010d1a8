import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import * as z from 'zod/mini'
import { APP_ENTER_PATH, APP_TICKET_MS } from '@flotilla/contract/apps/sessions'
import type { Database, Transaction } from '../../../db/database'
import type { RequestContext } from '../../../http/caller'
import * as store from '../store'

/** Which user opened which session, in which login, and the console's address there. */
const Entry = z.object({ session: z.string(), user: z.string(), login: z.string(), origin: z.string() })
export type Entry = z.infer<typeof Entry>

type Options = {
  db: Database
  key: Buffer
  /** The domain below which the host names of sessions are. */
  domain: string
  siteUrl: () => Promise<string>
  now: () => number
}

/** The sender of a Cookie header, and the cookies that are left for the app. */
type Cookies = { entry: Entry | null; rest: string }
const KNOWN_MAX = 1000

export type Tickets = ReturnType<typeof makeTickets>
/** A ticket opens a session once; it is exchanged for a cookie that is limited to that session's host name. */
export function makeTickets({ db, key, domain, siteUrl, now }: Options) {
  // Not a JWT, because jose verifies asynchronously. This verifies while a header is parsed, and hashes the tickets
  // too.
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', key).update(`${purpose}\n${text}`).digest('base64url')
  const isLocal = /(^|\.)localhost$/.test(domain)
  /** Browsers also accept `Secure` cookies from localhost without encryption. */
  const isSecure = ({ origin }: Pick<Entry, 'origin'>) => isLocal || origin.startsWith('https:')
  const nameOf = (entry: Pick<Entry, 'origin'>) => (isSecure(entry) ? '__Host-flotilla-app' : 'flotilla-app')

  /** The session's address has the protocol and port of the console, and its own host name. */
  const originOf = (session: string, console: string): string => {
    const { protocol, port } = new URL(console)
    return `${protocol}//${session}.${domain}${port && `:${port}`}`
  }

  /** A signature stays valid, so each header is verified once. */
  const known = new Map<string, Cookies>()
  const readCookies = (header: string, session: string): Cookies => {
    let entry: Entry | null = null
    const rest = header.split(/; */).filter((pair) => {
      const [, name = '', text = '', signature = ''] =
        /^((?:__Host-)?flotilla-app)=([\w-]+)\.([\w-]+)$/.exec(pair) ?? []
      if (!name) return pair !== '' && !/^(__Host-)?flotilla-app=/.test(pair)
      // Another app may have set a cookie with the same name for the whole domain, so only a valid one of this host
      // counts.
      const right = sign('cookie', text)
      if (right.length === signature.length && timingSafeEqual(Buffer.from(right), Buffer.from(signature))) {
        const parsed = Entry.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
        if (parsed.session === session && nameOf(parsed) === name) entry = parsed
      }
      return false
    })
    return { entry, rest: rest.join('; ') }
  }

  return {
    originOf,
    async consoleOrigin({ origin }: Pick<RequestContext, 'origin'>): Promise<string> {
      const given = URL.parse(origin ?? '')
      return given && /^https?:$/.test(given.protocol) ? given.origin : new URL(await siteUrl()).origin
    },
    async make(tx: Transaction, { session, user, login, origin }: Entry) {
      const ticket = randomBytes(32).toString('base64url')
      const expiresAt = now() + APP_TICKET_MS
      await store.insertTicket(tx, {
        hash: sign('ticket', ticket),
        session_id: session,
        user_id: user,
        login_id: login,
        origin,
        expires_at: new Date(expiresAt),
      })
      return { url: `${originOf(session, origin)}${APP_ENTER_PATH}?ticket=${ticket}`, expiresAt }
    },
    /** Uses up the ticket. Returns a cookie for it, or null. */
    async exchange(ticket: string, session: string): Promise<string | null> {
      const found = await store.takeTicket(db.kysely, sign('ticket', ticket), session, new Date(now()))
      if (!found) return null
      const entry: Entry = { session, user: found.user_id, login: found.login_id, origin: found.origin }
      const text = Buffer.from(JSON.stringify(entry)).toString('base64url')
      // Without a Domain attribute the cookie is limited to this host name. Partitioned cookies are not sent within
      // sites other than the console.
      const rules = isSecure(entry) ? 'Secure; SameSite=None; Partitioned' : 'SameSite=Lax'
      return `${nameOf(entry)}=${text}.${sign('cookie', text)}; Path=/; HttpOnly; ${rules}`
    },
    /** Verifies the Cookie header that a request sent to the session's host. */
    read(header: string | undefined, session: string): Cookies {
      const sent = header ?? ''
      const before = known.get(sent)
      if (before?.entry?.session === session) return before
      const read = readCookies(sent, session)
      if (known.size > KNOWN_MAX) known.clear()
      // Headers without a valid cookie are not cached.
      if (read.entry) known.set(sent, read)
      return read
    },
    sweep: () => store.removeExpiredTickets(db.kysely, new Date(now())),
  }
}
