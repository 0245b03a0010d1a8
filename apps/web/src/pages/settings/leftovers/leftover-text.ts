import { NOT_BILLED } from '@flotilla/contract/clouds/providers'
import { HOURS_A_MONTH } from '@flotilla/contract/limits'
import type { Leftover } from '@flotilla/contract/clusters/leftovers'
import { kindNames } from '../../../ui/status/resource-kinds'
import { priceLine } from '../../../ui/text/price-text'

/** The name, or the ID of a cloud resource that has no name. */
export const nameOf = ({ name, id }: Pick<Leftover, 'name' | 'id'>): string => name || id

/** Describes a leftover: 'Disk data of Aurora, 100 GB'. */
export function describeLeftover(leftover: Leftover): string {
  const { kind, cluster, sizeGb } = leftover
  // The kind is omitted if it adds nothing: “other”, or a kind with which the name already starts.
  const name = nameOf(leftover)
  const known = kind === 'other' || name.toLowerCase().startsWith(kindNames[kind].toLowerCase())
  return [
    known ? name : `${kindNames[kind]} ${name}`,
    cluster !== null && ` of ${cluster}`,
    sizeGb !== null && `, ${sizeGb} GB`,
  ]
    .filter(Boolean)
    .join('')
}

export const countOf = (count: number): string => (count === 1 ? '1 leftover' : `${count} leftovers`)

/** The total cost. Items without a price are counted, not treated as free. */
export function costOf(leftovers: readonly Leftover[], simulated: boolean): string | null {
  const known = leftovers.flatMap(({ perHour }) => (perHour === null ? [] : [perHour]))
  if (known.length === 0) return null
  const perHour = known.reduce((sum, one) => sum + one, 0)
  return priceLine({
    perHour,
    perMonth: perHour * HOURS_A_MONTH,
    unpriced: leftovers.filter((one) => one.perHour === null).map(nameOf),
    note: simulated ? NOT_BILLED : null,
  })
}
