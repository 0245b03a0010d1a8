import * as z from 'zod/mini'
import type { MOUNT_TYPES } from '../limits'

/** The maximum that a list returns at once; a search finds the rest. */
export const ACCOUNT_CHOICES_MAX = 500
export const ACCOUNT_SEARCH_MAX = 100

/** Existing disks and file systems are rows of the form rather than one of a provider's fields. */
export const EXISTING_DISK = 'data.disks.id'
/** The source of a mount, which depends on its type. */
export const EXISTING_FILE_SYSTEM = {
  nfs: 'data.mounts.nfs',
  lustre: 'data.mounts.lustre',
} satisfies Record<(typeof MOUNT_TYPES)[number], string>

/** A resource of a cloud account that a field can refer to. */
export const AccountChoice = z.object({
  /** The field's value. */
  id: z.string(),
  /** Empty if it has only an id. */
  name: z.string(),
  /** Shown to tell choices apart: the range, zone or state. */
  about: z.string(),
  /** The parent resource, such as the VPC of a subnet: an id or a name. */
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
  /** Whether there may be others that a search would find. */
  more: z.boolean(),
  /** Why the list is empty. */
  note: z.optional(z.string()),
})
export type AccountChoices = z.infer<typeof AccountChoices>

/** Whether a choice contains every word of a search. */
export function matchesSearch({ id, name, about }: AccountChoice, search: string): boolean {
  const all = `${id} ${name} ${about}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

const lastPart = (id: string) => id.slice(id.lastIndexOf('/') + 1).toLowerCase()

/** Whether a choice belongs to the chosen parent resource; either may be a name or a full path. */
export const isWithin = ({ within }: AccountChoice, chosen: string): boolean =>
  within === undefined || chosen === '' || lastPart(within) === lastPart(chosen)

/** Oracle Cloud puts the tenancy's name before the zone's. */
const zoneIn = (zone: string) => zone.slice(zone.indexOf(':') + 1).toLowerCase()

/** Whether a choice can be used in a zone; an empty zone means that none is chosen. */
export const isInZone = ({ zones }: Pick<AccountChoice, 'zones'>, zone: string): boolean =>
  zones === undefined || zone === '' || zones.some((one) => zoneIn(one) === zoneIn(zone))
