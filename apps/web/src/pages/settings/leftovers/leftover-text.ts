import { HOURS_A_MONTH } from '@flotilla/contract/limits'
import type { Leftover } from '@flotilla/contract/clusters/leftovers'
import { kindNames } from '../../../ui/resource-kinds'
import { priceLine } from '../../../ui/price-text'

/** Not everything in a cloud has a name; an id it has. */
export const nameOf = ({ name, id }: Pick<Leftover, 'name' | 'id'>): string => name || id

/** 'Disk data of Aurora, 100 GB' */
export function describeLeftover(leftover: Leftover): string {
  const { kind, cluster, sizeGb } = leftover
  // 'Other vpn' says less than 'vpn'; and the clouds' names often begin with what it is.
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

/** What all of them cost; what has no price is counted and never taken for free. */
export function costOf(leftovers: readonly Leftover[], simulated: boolean): string | null {
  const known = leftovers.flatMap(({ perHour }) => (perHour === null ? [] : [perHour]))
  if (known.length === 0) return null
  const perHour = known.reduce((sum, one) => sum + one, 0)
  return priceLine({
    perHour,
    perMonth: perHour * HOURS_A_MONTH,
    unpriced: leftovers.filter((one) => one.perHour === null).map(nameOf),
    note: simulated ? 'estimate, not billed' : null,
  })
}
