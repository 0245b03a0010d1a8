import type { Price } from '@flotilla/contract/clouds/providers'

const whole = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
const small = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })
const exact = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 4 })

/** No price is not the same as free. */
export const NO_PRICE = 'no price'

/** Below a dollar, prices keep the digits that distinguish them. */
export const money = (amount: number | null): string =>
  amount === null ? NO_PRICE : (amount > 0 && amount < 1 ? small : whole).format(amount)

/** A unit price in a column, where decimal points line up. */
export const unitPrice = (amount: number): string => exact.format(amount)
/** A sum, rounded to whole cents. */
export const sumText = (amount: number | null): string => {
  if (amount === null) return NO_PRICE
  return amount > 0 && amount < 0.01 ? `< ${whole.format(0.01)}` : whole.format(amount)
}

export const perHourText = (amount: number | null): string =>
  amount === null ? NO_PRICE : `${money(amount)} per hour`
export const perMonthText = (amount: number | null): string =>
  amount === null ? NO_PRICE : `${whole.format(amount)} per month`

/** Items without a price are not included. */
export const AT_LEAST = 'at least'
export const isPartly = ({ perHour, unpriced }: Pick<Price, 'perHour' | 'unpriced'>): boolean =>
  perHour !== null && unpriced.length > 0
export const hourlyPriceText = (price: Pick<Price, 'perHour' | 'unpriced'>): string =>
  `${isPartly(price) ? `${AT_LEAST} ` : ''}${perHourText(price.perHour)}`

/** 'disk data (no price)', or '3 items with no price (disk data and 2 more)' */
function unpricedText(unpriced: readonly string[]): string {
  // The size after the comma is omitted, because it would look like another item.
  const [first] = unpriced[0]?.split(',') ?? []
  return unpriced.length === 1
    ? `${first} (${NO_PRICE})`
    : `${unpriced.length} items with ${NO_PRICE} (${first} and ${unpriced.length - 1} more)`
}

/** '2 × nodes, t3.xlarge' */
export const partText = ({ what, count }: Price['parts'][number]): string =>
  count === 1 ? what : `${count} × ${what}`

/** A price's source; long sources are shortened to their first part. */
export function sourceText({ source, date }: Pick<Price, 'source' | 'date'>): string {
  const [first = ''] = source.split(';')
  return date ? `${first}, ${date}` : first
}

/** '$0.416 per hour, $303.68 per month; estimate, not billed', in one line for a dialog. */
export function priceLine(price: Pick<Price, 'perHour' | 'perMonth' | 'note' | 'unpriced'>): string {
  const { perHour, perMonth, note, unpriced } = price
  const sum = perHour === null ? 'an unknown amount' : `${hourlyPriceText(price)}, ${perMonthText(perMonth)}`
  const beside = isPartly(price) ? `, plus ${unpricedText(unpriced)}` : ''
  return `${sum}${beside}${note ? `; ${note}` : ''}`
}
