import type * as z from 'zod/mini'
import type { AccountChoice } from '@flotilla/contract/clouds/account-choices'

/** What an account has of a kind, page by page, as the cloud tells it. */
export interface AccountList {
  /** What the cloud calls the permission to list these. */
  right: string
  pages(signal: AbortSignal): AsyncIterable<AccountChoice[]>
  /** The note to show for an error that only means that the account does not use these. */
  noteOn?(error: unknown): string | null
}

/** By the paths of the fields that are chosen `fromAccount`. */
export type AccountLists = Partial<Record<string, AccountList>>

/** Of what is said about a choice, the parts that are known. Clouds leave things out, and not only text comes. */
export const about = (...parts: unknown[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(', ')

/** Of a disk, if its size is known. */
export const gigabytes = (size: string | number | null | undefined): string | undefined =>
  size === undefined || size === null ? undefined : `${size} GB`

export const choice = (id: unknown, name: unknown, ...rest: unknown[]): AccountChoice => ({
  id: about(id),
  name: about(name),
  about: about(...rest),
})

/** The zones of something zonal, if the cloud reports them. */
export const inZone = (zone: unknown): Pick<AccountChoice, 'zones'> =>
  typeof zone === 'string' && zone !== '' ? { zones: [zone] } : {}

/** An image's processor; clouds write x86_64 or x64, arm64 or ARM64. */
export const forProcessor = (arch: string | null | undefined): Pick<AccountChoice, 'arch'> => {
  const name = arch?.toLowerCase() ?? ''
  if (name === 'arm64') return { arch: 'arm64' }
  return name === 'x86_64' || name === 'x64' ? { arch: 'x86_64' } : {}
}

/** A list of which each page is turned into choices. */
export const accountList = <Page>(
  right: string,
  pages: (signal: AbortSignal) => AsyncIterable<Page>,
  of: (page: Page) => AccountChoice[],
): AccountList => ({
  right,
  async *pages(signal) {
    for await (const page of pages(signal)) yield of(page)
  },
})

/** Of what a cloud sent, what is as described; one odd thing does not hide the others. */
export const readable = <Item>(item: z.ZodMiniType<Item>, list: readonly unknown[]): Item[] =>
  list.flatMap((one) => item.safeParse(one).data ?? [])
