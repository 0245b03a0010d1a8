import type { Price } from '@flotilla/contract/clouds/providers'
import { cx } from '../../../ui/text/cx'
import {
  perMonthText,
  AT_LEAST,
  isPartly,
  money,
  NO_PRICE,
  partText,
  sourceText,
  unitPrice,
} from '../../../ui/text/price-text'

interface Props {
  price: Price
  /** Shown when there is no price. */
  without?: string
}

/** A price with its parts, its source and what it excludes. */
export function PriceParts({ price, without = 'No prices available.' }: Props) {
  const { parts, perHour, perMonth, note } = price
  return (
    <div className="flex flex-col gap-3 text-body">
      <div>
        <p className="text-title font-semibold tabular-nums">
          {isPartly(price) && <span className="mr-1.5 text-body font-normal text-ink-2">{AT_LEAST}</span>}
          {perHour === null ? 'No price' : money(perHour)}
          {perHour !== null && <span className="ml-1.5 text-body font-normal text-ink-2">per hour</span>}
        </p>
        <p className="text-ink-2 tabular-nums">
          {perMonth === null ? without : `${perMonthText(perMonth)} (730 hours)`}
        </p>
        {note && <p className="mt-1 text-label font-medium text-amber first-letter:uppercase">{note}</p>}
      </div>
      {parts.length > 0 && (
        <ul className="flex flex-col gap-1 border-t border-line-1 pt-3 text-label">
          {parts.map((part, at) => (
            <li key={at} className="flex justify-between gap-3">
              <span className="min-w-0 wrap-anywhere text-ink-2 first-letter:uppercase">
                {partText(part)}
              </span>
              <span
                className={cx('shrink-0 tabular-nums', part.perHour === null ? 'text-ink-3' : 'text-ink-1')}
              >
                {part.perHour === null ? NO_PRICE : unitPrice(part.perHour)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {/* Without any price, there is no source to show. */}
      {perHour !== null && (
        <p className="border-t border-line-1 pt-3 text-label text-ink-3">
          On-demand price in USD. Excludes traffic
          {price.unpriced.length > 0 && ' and items without a price'}.{' '}
          <span title={price.source}>Source: {sourceText(price)}.</span>
        </p>
      )}
    </div>
  )
}
