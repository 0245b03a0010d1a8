import * as z from 'zod/mini'
import type { MOUNT_TYPES } from '../limits'

/** The most that a list shows at once; a search finds the rest. */
export const ACCOUNT_CHOICES_MAX = 500
export const ACCOUNT_SEARCH_MAX = 100

/** Existing disks and file systems are rows of the form and not one of a provider's fields. */
export const EXISTING_DISK = 'data.disks.id'
/** What is chosen is a mount's source, which differs by its type. */
export const EXISTING_FILE_SYSTEM = {
  nfs: 'data.mounts.nfs',
  lustre: 'data.mounts.lustre',
} satisfies Record<(typeof MOUNT_TYPES)[number], string>

/** Something of a cloud account that a field can name. */
export const AccountChoice = z.object({
  /** What the field takes. */
  id: z.string(),
  /** Empty if it has none besides its id. */
  name: z.string(),
  /** Shown to tell choices apart: the range, zone or state. */
  about: z.string(),
  /** What it is in, such as the VPC of a subnet: an id or a name. */
  within: z.optional(z.string()),
  /** The only zones in which it can be used. */
  zones: z.optional(z.array(z.string())),
  /** The address range of a subnet. */
  range: z.optional(z.string()),
  /** The processor that an image is for. */
  arch: z.optional(z.enum(['x86_64', 'arm64'])),
})
export type AccountChoice = z.infer<typeof AccountChoice>

export const AccountChoices = z.object({
  choices: z.array(AccountChoice),
  /** There may be others: a search finds them. */
  more: z.boolean(),
  /** Why the list is empty. */
  note: z.optional(z.string()),
})
export type AccountChoices = z.infer<typeof AccountChoices>

/** Whether a choice has every word of a search. */
export function matchesSearch({ id, name, about }: AccountChoice, search: string): boolean {
  const all = `${id} ${name} ${about}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

const lastPart = (id: string) => id.slice(id.lastIndexOf('/') + 1).toLowerCase()

/** Whether a choice can be combined with what is chosen around it; both may be a name or the whole path. */
export const isWithin = ({ within }: AccountChoice, chosen: string): boolean =>
  within === undefined || chosen === '' || lastPart(within) === lastPart(chosen)

/** Oracle puts the name of the tenancy before it. */
const zoneIn = (zone: string) => zone.slice(zone.indexOf(':') + 1).toLowerCase()

/** Whether a choice can be used in a zone; empty, if none is chosen. */
export const isInZone = ({ zones }: Pick<AccountChoice, 'zones'>, zone: string): boolean =>
  zones === undefined || zone === '' || zones.some((one) => zoneIn(one) === zoneIn(zone))
