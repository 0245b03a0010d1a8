import { useWatch } from 'react-hook-form'
import { useMemo } from 'react'
import { Skeleton } from '../../../../ui/feedback/skeleton'
import { Spinner } from '../../../../ui/feedback/spinner'
import { PriceParts } from '../../price/price-parts'
import { hourlyPriceText } from '../../../../ui/text/price-text'
import { costOf } from '../values/cloud-values'
import type { CloudForm } from '../values/cloud-values'
import { usePrice } from './use-price'
import { useDebounced } from '../../../../ui/form/use-debounced'

/** Avoids a request for each keystroke. */
const DEBOUNCE_MS = 350

/** The price of the form's current values, with all nodes running. */
export function useFormPrice(form: CloudForm) {
  const values = useWatch({ control: form.control })
  // The watched values are complete only if every field is mounted.
  const cost = useMemo(() => values && costOf(form.getValues()), [values, form])
  const debounced = useDebounced(cost, DEBOUNCE_MS)
  const price = usePrice(debounced)
  const isKnown = debounced === null || (!price.isPending && !price.isPlaceholderData)
  return { ...price, isCurrent: cost === debounced && isKnown, wrong: debounced === null }
}
type FormPrice = ReturnType<typeof useFormPrice>

export function PriceSide({ price, unchosen }: { price: FormPrice; unchosen: boolean }) {
  return (
    <aside
      aria-label="Price"
      aria-busy={price.isFetching || undefined}
      className="rounded-card border border-line-1 bg-surface-2 p-4 xl:sticky xl:top-18 xl:self-start"
    >
      <div className="mb-2 flex items-center justify-between gap-2">
        <h2 className="text-label text-ink-3">With all nodes running</h2>
        {price.isFetching && <Spinner className="text-ink-3" />}
      </div>
      {unchosen && price.data?.perHour === null ? (
        <p className="text-body text-ink-2">Choose a region and sizes to see a price.</p>
      ) : price.data ? (
        <PriceParts price={price.data} />
      ) : price.wrong ? (
        <p className="text-body text-ink-2">Fix the invalid numbers to see a price.</p>
      ) : price.error ? (
        <p className="text-body text-ink-2">Could not calculate the price: {price.error.message}</p>
      ) : (
        <Skeleton className="h-24 w-full" />
      )}
    </aside>
  )
}

/** The price in one line, next to the buttons. */
export const PriceSummary = ({ price }: { price: FormPrice }) =>
  price.data && price.data.perHour !== null ? (
    <span className="inline-block text-body text-ink-2 tabular-nums first-letter:uppercase">
      <strong className="font-semibold text-ink-1">{hourlyPriceText(price.data)}</strong>
      {price.data.note && `, ${price.data.note}`}
    </span>
  ) : null
