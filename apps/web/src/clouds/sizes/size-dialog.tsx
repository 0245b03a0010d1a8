import type { AcmShape } from '@flotilla/contract/clouds/acm'
import type { InstanceSize, Provider } from '@flotilla/contract/clouds/providers'
import { ArrowDown, ArrowUp, Search } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { Button } from '../../ui/button/button'
import { cx } from '../../ui/text/cx'
import { Dialog } from '../../ui/overlay/dialog'
import { Field } from '../../ui/form/field'
import { Glyph } from '../../ui/status/icon'
import { Input } from '../../ui/form/input'
import { NO_PRICE, sourceText, unitPrice } from '../../ui/text/price-text'
import { usePrices } from '../use-provider'
import { everySize, fittingSizes, freeText, sortSizes } from './sizes'
import type { Prices, SizeColumn, SizeFilter, SizeSort } from './sizes'

interface Props {
  provider: Provider
  region: string
  /** The title, such as 'Size of the head node'. */
  title: string
  shapes: readonly AcmShape[]
  value: string
  onChoose: (instanceId: string) => void
  onClose: () => void
}

/** Users narrow the filter rather than scroll through more rows. */
const ROWS_MAX = 150

function descriptionOf({ name, regions }: Provider, region: string): string {
  if (regions.length === 0) return `${name} sizes. Machines that share a tag or a pool count as one size.`
  return region === ''
    ? `${name} sizes. Choose a region first to see prices.`
    : `${name} sizes, with on-demand prices in ${region}.`
}

/** All sizes of a provider, with resources and prices. */
export function SizeDialog({ provider, region, title, shapes, value, onChoose, onClose }: Props) {
  const [filter, setFilter] = useState<SizeFilter>(everySize)
  const [sort, setSort] = useState<SizeSort>({ column: 'cores', descending: false })
  const prices = usePrices(provider.id, region)
  const known: Prices = useMemo(() => prices.data?.prices ?? {}, [prices.data])
  const deferredFilter = useDeferredValue(filter)
  const sizes = useMemo(
    () => sortSizes(fittingSizes(provider.instanceSizes, deferredFilter), known, sort),
    [provider.instanceSizes, deferredFilter, known, sort],
  )
  const typed = filter.text.trim()
  // The table may lag behind the typed text.
  const fitting = fittingSizes(provider.instanceSizes, filter)
  const only =
    fitting.length === 1 ? fitting[0] : fitting.find(({ name }) => name.toLowerCase() === typed.toLowerCase())
  const choose = (id: string) => {
    onChoose(id)
    onClose()
  }
  const least = (name: 'cores' | 'memory' | 'gpus', label: string) => (
    <Field label={label}>
      {(aria) => (
        <Input
          {...aria}
          type="number"
          min={0}
          value={filter[name] || ''}
          placeholder="any"
          onChange={({ target }) => setFilter({ ...filter, [name]: target.valueAsNumber || 0 })}
        />
      )}
    </Field>
  )
  return (
    <Dialog open size="l" onClose={onClose} title={title} description={descriptionOf(provider, region)}>
      <div className="flex flex-col gap-3">
        <div className="grid grid-cols-3 gap-2 sm:grid-cols-[1fr_6rem_7rem_6rem]">
          <Field label="Search" className="max-sm:col-span-3">
            {(aria) => (
              <Input
                {...aria}
                icon={Search}
                data-autofocus
                value={filter.text}
                placeholder="Name or GPU"
                spellCheck={false}
                autoComplete="off"
                onChange={({ target }) => setFilter({ ...filter, text: target.value })}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' || !only) return
                  // Otherwise the same key press opens the dialog again: the focus returns to its button.
                  event.preventDefault()
                  choose(only.instance_id)
                }}
              />
            )}
          </Field>
          {least('cores', 'Min. threads')}
          {least('memory', 'Min. GB')}
          {least('gpus', 'Min. GPUs')}
        </div>
        <p role="status" className="text-label text-ink-3">
          {sizes.length} of {provider.instanceSizes.length} sizes
          {sizes.length > ROWS_MAX && `, showing the first ${ROWS_MAX}`}
          {prices.error && '. Prices could not be loaded'}
        </p>
        {sizes.length === 0 ? (
          <div className="flex flex-col items-start gap-2 rounded-card border border-line-1 p-4">
            <p className="text-body text-ink-2">No sizes match these filters.</p>
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => setFilter(everySize)}>Clear filter</Button>
              {typed !== '' && <Button onClick={() => choose(typed)}>Use {typed} anyway</Button>}
            </div>
          </div>
        ) : (
          <SizeTable
            sizes={sizes.slice(0, ROWS_MAX)}
            prices={known}
            hasPrices={prices.data !== undefined}
            shapes={shapes}
            priced={provider.regions.length > 0}
            value={value}
            sort={sort}
            onSort={setSort}
            onChoose={choose}
          />
        )}
        {prices.data && (
          <p className="text-label text-ink-3" title={prices.data.source}>
            Prices: {sourceText(prices.data)}. Sizes without a price may not be available in this region.
          </p>
        )}
      </div>
    </Dialog>
  )
}

const heads: readonly { column: SizeColumn; label: string; right: boolean }[] = [
  { column: 'name', label: 'Size', right: false },
  { column: 'cores', label: 'Threads', right: true },
  { column: 'memory', label: 'GB', right: true },
  { column: 'gpus', label: 'GPUs', right: true },
  { column: 'price', label: 'USD/h', right: true },
]

interface TableProps {
  sizes: readonly InstanceSize[]
  prices: Prices
  hasPrices: boolean
  shapes: readonly AcmShape[]
  /** A machine in a MAAS has no price, but may be in use. */
  priced: boolean
  value: string
  sort: SizeSort
  onSort: (sort: SizeSort) => void
  onChoose: (instanceId: string) => void
}

function SizeTable({ sizes, prices, hasPrices, shapes, priced, value, sort, onSort, onChoose }: TableProps) {
  const columns = priced ? heads : heads.filter(({ column }) => column !== 'price')
  const costs = ({ instance_id, flexible }: InstanceSize): string => {
    const price = prices[instance_id]
    if (price !== undefined) return unitPrice(price)
    if (flexible) return 'per OCPU and GB'
    return hasPrices ? NO_PRICE : '–'
  }
  return (
    <div className="max-h-96 overflow-auto rounded-card border border-line-1">
      <table aria-label="Sizes" className="w-full border-separate border-spacing-0 text-body tabular-nums">
        <thead>
          <tr>
            {columns.map(({ column, label, right }) => {
              const on = sort.column === column
              return (
                <th
                  key={column}
                  scope="col"
                  aria-sort={on ? (sort.descending ? 'descending' : 'ascending') : undefined}
                  className="sticky top-0 z-10 border-b border-line-1 bg-surface-2 p-0 text-label font-medium text-ink-2"
                >
                  <button
                    type="button"
                    onClick={() => onSort({ column, descending: on && !sort.descending })}
                    className={cx(
                      'flex h-8 w-full items-center gap-1 px-3 whitespace-nowrap max-sm:px-1.5 focus-visible:-outline-offset-2',
                      right && 'justify-end',
                    )}
                  >
                    {label}
                    {on && <Glyph icon={sort.descending ? ArrowDown : ArrowUp} className="size-3.5" />}
                  </button>
                </th>
              )
            })}
            {shapes.length > 0 && (
              <th
                scope="col"
                className="sticky top-0 z-10 border-b border-line-1 bg-surface-2 px-3 text-right text-label font-medium text-ink-2 max-sm:px-1.5"
              >
                Machines
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {sizes.map((size) => (
            // The button in the first cell is for the keyboard; the whole row is easier to click.
            <tr
              key={size.instance_id}
              onClick={() => onChoose(size.instance_id)}
              className={cx(
                'cursor-pointer hover:bg-surface-3 [&>td]:border-b [&>td]:border-line-1 [&>td]:px-3 max-sm:[&>td]:px-1.5 last:[&>td]:border-b-0',
                size.instance_id === value && 'bg-accent-soft',
              )}
            >
              <td className="h-9">
                <button
                  type="button"
                  aria-label={`Choose ${size.name}`}
                  aria-current={size.instance_id === value || undefined}
                  className="rounded-mark text-left font-mono text-label sm:whitespace-nowrap"
                >
                  {size.name}
                </button>
                {size.arch === 'arm64' && (
                  <span className="ml-2 text-label text-ink-3 max-sm:hidden">Arm</span>
                )}
                {size.efa && <span className="ml-2 text-label text-ink-3 max-sm:hidden">EFA</span>}
              </td>
              <td className="text-right">{size.flexible ? `1–${size.maxOcpus ?? ''} OCPU` : size.cores}</td>
              <td className="text-right">
                {size.flexible ? `up to ${size.maxMemory ?? ''}` : (size.memory ?? '–')}
              </td>
              <td className="text-right whitespace-nowrap">
                {size.gpus ? (
                  <>
                    {size.gpus}
                    {size.gpuModel && <span className="max-sm:hidden"> × {size.gpuModel}</span>}
                  </>
                ) : (
                  <span className="text-ink-3">–</span>
                )}
              </td>
              {shapes.length > 0 && (
                <td className="text-right whitespace-nowrap">{freeText(shapes, size.instance_id)}</td>
              )}
              {priced && (
                <td className={cx('text-right', prices[size.instance_id] === undefined && 'text-ink-3')}>
                  {costs(size)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
