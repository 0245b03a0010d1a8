import { X509Certificate } from 'node:crypto'
import { countText } from '@flotilla/contract/count-text'
import type { Attention } from '@flotilla/contract/clusters/dashboard'
import type { Database } from '../../db/database'
import type { Viewer } from '../../db/visible'
import * as store from './store'

const DAY_MS = 24 * 60 * 60_000
/** Enough time to get a new certificate issued. */
const SOON_MS = 30 * DAY_MS
/** Shorter, because a token lasts only weeks and its owner can create a new one at once. */
const TOKEN_SOON_MS = 7 * DAY_MS
/** Cloud keys do not expire by themselves and should not get older. */
const KEY_AGE_MS = 365 * DAY_MS

/** `expires in 3 days`, or `expired 3 days ago`. */
export function expiryText(at: number, now: number): string {
  const days = Math.ceil(Math.abs(at - now) / DAY_MS)
  return at > now ? `expires in ${countText(days, 'day')}` : `expired ${countText(days, 'day')} ago`
}

/** When the first of these certificates expires; undefined if none can be parsed. */
function earliestEnd(pem: string): number | undefined {
  const ends = (pem.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? []).flatMap(
    (one) => {
      try {
        return [Date.parse(new X509Certificate(one).validTo)]
      } catch {
        return []
      }
    },
  )
  return ends.length === 0 ? undefined : Math.min(...ends)
}

/** Credentials and certificates that expire soon. */
export function makeExpiring({ db, now }: { db: Database; now: () => number }) {
  const entry = (kind: Attention['kind'], text: string, link: string): Attention => ({
    kind,
    text,
    link,
    since: null,
  })
  const ofTokens = async ({ id }: Viewer): Promise<Attention[]> =>
    (await store.expiringTokens(db.kysely, id, new Date(now()), new Date(now() + TOKEN_SOON_MS))).map(
      ({ name, expires_at }) =>
        entry(
          'credential',
          `Your access token ${name} ${expiryText(expires_at.getTime(), now())}`,
          '/settings_user',
        ),
    )
  const ofVpn = async ({ id }: Viewer): Promise<Attention[]> =>
    (await store.expiringVpnClients(db.kysely, id, new Date(now()), new Date(now() + SOON_MS))).map(
      ({ cluster_id, cluster, expires_at }) =>
        entry(
          'credential',
          `Your VPN profile of ${cluster} ${expiryText(expires_at.getTime(), now())}: download it again`,
          `/clusters/${cluster_id}`,
        ),
    )
  const ofDirectories = async (): Promise<Attention[]> =>
    (await store.directoryCertificates(db.kysely)).flatMap(({ name, ca }) => {
      const end = earliestEnd(ca)
      if (end === undefined || end - now() > SOON_MS) return []
      return [
        entry(
          'credential',
          `The CA certificate of the LDAP server ${name} ${expiryText(end, now())}`,
          '/settings/ldap',
        ),
      ]
    })
  const ofKeys = async (): Promise<Attention[]> =>
    (await store.oldCredentials(db.kysely, new Date(now() - KEY_AGE_MS))).map(({ name, updated_at }) => {
      const days = countText(Math.floor((now() - updated_at.getTime()) / DAY_MS), 'day')
      return entry('credential', `The credential ${name} has not been changed for ${days}`, '/credentials')
    })

  return {
    of: async (viewer: Viewer): Promise<Attention[]> =>
      (
        await Promise.all([
          ofTokens(viewer),
          ofVpn(viewer),
          ...(viewer.admin ? [ofDirectories(), ofKeys()] : []),
        ])
      ).flat(),
  }
}
