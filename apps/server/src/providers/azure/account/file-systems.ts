import type { AccountChoice } from '@flotilla/contract/clouds/account-choices'
import * as z from 'zod/mini'
import { choice, gigabytes, readable, type AccountList } from '../../account-lists'
import type { Clients } from '../clients'

const STORAGE = '2023-05-01'
const NETAPP = '2024-07-01'
const GIB = 1024 ** 3

const optional = z.optional(z.nullable(z.string()))
const Place = z.object({ id: z.string(), name: z.string(), location: optional })
const Account = z.extend(Place, {
  kind: optional,
  properties: z.object({ primaryEndpoints: z.object({ file: z.string() }) }),
})
const Share = z.object({
  name: z.string(),
  properties: z.object({ enabledProtocols: optional, shareQuota: z.optional(z.number()) }),
})
const Pool = z.object({ id: z.string() })
const Volume = z.object({
  name: z.string(),
  properties: z.object({
    creationToken: z.string(),
    protocolTypes: z._default(z.array(z.string()), []),
    mountTargets: z._default(z.array(z.object({ ipAddress: z.string() })), []),
    usageThreshold: z.optional(z.number()),
    subnetId: optional,
  }),
})

const isHere = ({ location }: { location?: string | null | undefined }, region: string) =>
  region === '' || location?.toLowerCase() === region.toLowerCase()
const networkIn = (subnet: string | null | undefined) => /\/virtualNetworks\/([^/]+)/i.exec(subnet ?? '')?.[1]

/** Whether the subscription never used the service, and so has none of its resources. */
const isUnregistered = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'MissingSubscriptionRegistration'

/** The NFS exports in the subscription's region: shares of Azure Files, and volumes of NetApp Files. */
export function sharedFolders(
  { arm, subscription }: Pick<Clients, 'arm' | 'subscription'>,
  region: string,
): AccountList {
  const all = async function* <Item>(
    item: z.ZodMiniType<Item>,
    path: string,
    version: string,
    signal: AbortSignal,
  ) {
    for await (const page of arm.pages(path, version, { signal })) yield* readable(item, page)
  }

  async function* shares(signal: AbortSignal): AsyncIterable<AccountChoice[]> {
    const accounts = `${subscription}/providers/Microsoft.Storage/storageAccounts`
    for await (const account of all(Account, accounts, STORAGE, signal)) {
      // No other kind of account has NFS shares.
      if (account.kind !== 'FileStorage' || !isHere(account, region)) continue
      const host = URL.parse(account.properties.primaryEndpoints.file)?.hostname
      if (host === undefined) continue
      const found: AccountChoice[] = []
      for await (const share of all(Share, `${account.id}/fileServices/default/shares`, STORAGE, signal)) {
        const { enabledProtocols, shareQuota } = share.properties
        if (enabledProtocols !== 'NFS') continue
        const source = `${host}:/${account.name}/${share.name}`
        found.push(choice(source, share.name, 'Azure Files', gigabytes(shareQuota), account.name))
      }
      yield found
    }
  }

  async function* volumes(signal: AbortSignal): AsyncIterable<AccountChoice[]> {
    const accounts = `${subscription}/providers/Microsoft.NetApp/netAppAccounts`
    for await (const account of all(Place, accounts, NETAPP, signal)) {
      if (!isHere(account, region)) continue
      for await (const pool of all(Pool, `${account.id}/capacityPools`, NETAPP, signal)) {
        const found: AccountChoice[] = []
        for await (const { name, properties } of all(Volume, `${pool.id}/volumes`, NETAPP, signal)) {
          const [target] = properties.mountTargets
          if (!target || !properties.protocolTypes.some((type) => type.startsWith('NFS'))) continue
          const { creationToken, usageThreshold, subnetId } = properties
          found.push(
            choice(
              `${target.ipAddress}:/${creationToken}`,
              // Azure's name is account/pool/volume.
              name.slice(name.lastIndexOf('/') + 1),
              'NetApp Files',
              gigabytes(usageThreshold === undefined ? undefined : Math.round(usageThreshold / GIB)),
              networkIn(subnetId),
            ),
          )
        }
        yield found
      }
    }
  }

  const registered = async function* (list: AsyncIterable<AccountChoice[]>) {
    try {
      yield* list
    } catch (error) {
      if (!isUnregistered(error)) throw error
    }
  }
  return {
    right: 'Reader, for Microsoft.Storage and Microsoft.NetApp',
    async *pages(signal) {
      yield* registered(shares(signal))
      yield* registered(volumes(signal))
    },
  }
}
