import { countText } from '@flotilla/contract/count-text'
import { mayRelease, type AcmImage, type AcmMachine, type AcmShape } from '@flotilla/contract/clouds/acm'
import type { ProviderId } from '@flotilla/contract/site/config'
import { messages } from '@flotilla/contract/messages'
import type { Database } from '../../db/database'
import { fail } from '../../fail'
import type { Caller, RequestContext } from '../../http/caller'
import type { MaasClient } from '../../providers/maas/client'
import { shapesOf } from '../../providers/maas/shapes'
import type { CredentialData } from '../../providers/fields/credential-data'
import { record } from '../activities/activities'
import type { Credentials } from '../credentials/credentials'
import type { Providers } from '../providers/providers'

type Options = {
  db: Database
  credentials: Pick<Credentials, 'use' | 'listFor' | 'requireScope'>
  providers: Pick<Providers, 'keepSynced'>
  client: (credential: CredentialData) => MaasClient
  /** Queries a cloud, and explains why it did not respond. */
  queryCloud: <T>(provider: ProviderId, data: CredentialData, work: () => Promise<T>) => Promise<T>
}

export type Acm = ReturnType<typeof makeAcm>
export function makeAcm({ db, credentials, providers, client, queryCloud }: Options) {
  const sites = async (me: Caller) =>
    (await credentials.listFor(me)).filter(({ provider }) => provider === 'maas')

  const open = async (me: Caller, id: string) => {
    const { provider, data } = await credentials.use(id, me)
    if (provider !== 'maas') fail('bad_input', { fields: { credentialId: 'Choose an ACM credential' } })
    const maas = client(data)
    return {
      machines: () => queryCloud('maas', data, maas.machines),
      images: () => queryCloud('maas', data, maas.images),
      release: (ids: string[]) => queryCloud('maas', data, () => maas.release(ids)),
    }
  }
  /** The site of this credential, or the first site; undefined if there is none. */
  const which = async (me: Caller, credentialId: string | undefined) => {
    const id = credentialId ?? (await sites(me))[0]?.id
    return id === undefined ? undefined : open(me, id)
  }
  const machines = async (me: Caller, credentialId?: string): Promise<AcmMachine[]> =>
    (await (await which(me, credentialId))?.machines()) ?? []

  /** Every site of the user. Given a context, also checks that the user may change all of them. */
  const everySite = async (me: Caller, context?: RequestContext) => {
    const found = await sites(me)
    if (context) for (const { id } of found) await credentials.requireScope(me, id, context)
    if (found.length === 0) fail('wrong_state', { message: 'No ACM credential. Add one first.' })
    return Promise.all(
      found.map(async ({ id }) => {
        const site = await open(me, id)
        return { ...site, found: await site.machines() }
      }),
    )
  }

  return {
    enabled: async (me: Caller) => ({ enabled: (await sites(me)).length > 0 }),
    machines,
    images: async (me: Caller, credentialId?: string): Promise<AcmImage[]> =>
      (await (await which(me, credentialId))?.images()) ?? [],
    shapes: async (me: Caller, credentialId?: string): Promise<AcmShape[]> =>
      shapesOf(await machines(me, credentialId)),

    async syncShapes(me: Caller, context: RequestContext) {
      const all = (await everySite(me)).flatMap(({ found }) => found)
      const sizes = shapesOf(all).map(({ machines: _count, ready: _free, ...size }) => size)
      await context.transaction(async (tx) => {
        const row = { provider: 'maas' as const, region: '', source: 'ACM', prices: {} }
        await providers.keepSynced(tx, { ...row, sizes })
        const detail = `${countText(sizes.length, 'shape')} from ${countText(all.length, 'machine')}`
        await record(tx, me, context, {
          action: 'synced',
          subject: { kind: 'catalog', id: 'acm', name: 'ACM shapes' },
          detail,
        })
      })
      return { success: true as const, message: messages.acmShapesSynced }
    },

    /** Nothing is released unless all of it can be. */
    async releaseNodes(me: Caller, hostnames: unknown, context: RequestContext) {
      const names = hostnamesIn(hostnames)
      const all = await everySite(me, context)
      const known = all.flatMap(({ found }) => found)
      const missing = names.filter((name) => !known.some(({ hostname }) => hostname === name))
      if (missing.length > 0) refuse(`ACM has no machine named ${missing.join(', ')}`)
      const sameName = (name: string) =>
        new Set(known.filter(({ hostname }) => hostname === name).map(({ id }) => id))
      const ambiguous = names.filter((name) => sameName(name).size > 1)
      if (ambiguous.length > 0)
        refuse(`Several machines are named ${ambiguous.join(', ')}. Release them in MAAS.`)
      const free = known.filter((machine) => names.includes(machine.hostname) && !mayRelease(machine))
      if (free.length > 0)
        refuse(`Not allocated: ${free.map(({ hostname, status }) => `${hostname} (${status})`).join(', ')}`)
      const released = new Set<string>()
      for (const { found, release } of all) {
        // Two credentials may belong to the same site.
        const ids = found
          .filter(({ hostname, id }) => names.includes(hostname) && !released.has(id))
          .map(({ id }) => id)
        for (const id of ids) released.add(id)
        if (ids.length === 0) continue
        await context.recheck()
        await release(ids)
      }
      await db.transaction((tx) =>
        record(tx, me, context, {
          action: 'released',
          subject: { kind: 'machines', id: null, name: 'ACM machines' },
          detail: names.join(', '),
        }),
      )
      return { success: true as const, message: messages.nodesReleased }
    },
  }
}

const refuse = (message: string): never => fail('bad_input', { message, fields: { hostnames: message } })

const NAMES_MAX = 1000
function hostnamesIn(given: unknown): string[] {
  const fits = (name: unknown): name is string =>
    typeof name === 'string' && name.trim() !== '' && name.length <= 253
  if (!Array.isArray(given) || given.length === 0 || given.length > NAMES_MAX || !given.every(fits))
    return refuse(messages.hostnamesInvalid)
  return [...new Set(given.map((name: string) => name.trim()))]
}
