import type * as z from 'zod/mini'
import type { AccountChoice } from '@flotilla/contract/clouds/account-choices'

/** The account's resources of one kind, page by page, as the cloud returns them. */
export interface AccountList {
  /** The cloud's name of the permission to list them. */
  right: string
  pages(signal: AbortSignal): AsyncIterable<AccountChoice[]>
  /** The note to show for an error that only means that the account does not use such resources. */
  noteOn?(error: unknown): string | null
}

/** The lists by the paths of the fields that are chosen `fromAccount`. */
export type AccountLists = Partial<Record<string, AccountList>>

/** Joins the known parts of a choice's description. Clouds omit some, and not all of them are text. */
export const about = (...parts: unknown[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(', ')

/** The size of a disk, if known. */
export const gigabytes = (size: string | number | null | undefined): string | undefined =>
  size === undefined || size === null ? undefined : `${size} GB`

export const choice = (id: unknown, name: unknown, ...rest: unknown[]): AccountChoice => ({
  id: about(id),
  name: about(name),
  about: about(...rest),
})

/** The zone of a zonal resource, if the cloud reports it. */
export const inZone = (zone: unknown): Pick<AccountChoice, 'zones'> =>
  typeof zone === 'string' && zone !== '' ? { zones: [zone] } : {}

/** An image's processor; clouds write x86_64 or x64, arm64 or ARM64. */
export const forProcessor = (arch: string | null | undefined): Pick<AccountChoice, 'arch'> => {
  const name = arch?.toLowerCase() ?? ''
  if (name === 'arm64') return { arch: 'arm64' }
  return name === 'x86_64' || name === 'x64' ? { arch: 'x86_64' } : {}
}

/** Makes a list whose pages are converted to choices. */
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

/** The valid items of a cloud's reply; one invalid item does not hide the others. */
export const readable = <Item>(item: z.ZodMiniType<Item>, list: readonly unknown[]): Item[] =>
  list.flatMap((one) => item.safeParse(one).data ?? [])
