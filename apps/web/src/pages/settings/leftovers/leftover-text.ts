import { NOT_BILLED } from '@flotilla/contract/clouds/providers'
import { HOURS_A_MONTH } from '@flotilla/contract/limits'
import type { Leftover } from '@flotilla/contract/clusters/leftovers'
import { kindNames } from '../../../ui/status/resource-kinds'
import { priceLine } from '../../../ui/text/price-text'

/** Not every cloud resource has a name, but every one has an ID. */
export const nameOf = ({ name, id }: Pick<Leftover, 'name' | 'id'>): string => name || id

/** 'Disk data of Aurora, 100 GB' */
export function describeLeftover(leftover: Leftover): string {
  const { kind, cluster, sizeGb } = leftover
  // 'Other vpn' says less than 'vpn', and cloud resource names often start with their kind.
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

/** The total cost; items without a price are counted and never treated as free. */
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
