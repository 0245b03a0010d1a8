import type { AcmShape } from '@flotilla/contract/clouds/acm'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { ChevronsUpDown } from 'lucide-react'
import { Suspense, lazy, useState } from 'react'
import { createPortal } from 'react-dom'
import type { ControlAria } from '../../ui/form/field'
import { Glyph } from '../../ui/status/icon'
import { IdInput } from '../../ui/form/id-input'
import { perHourText } from '../../ui/text/price-text'
import { usePrices } from '../use-provider'
import { freeText, sizeText } from './sizes'

const SizeDialog = lazy(() => import('./size-dialog').then((module) => ({ default: module.SizeDialog })))

interface Props {
  aria: ControlAria
  provider: Provider
  region: string
  title: string
  /** For a MAAS: how many machines there are of each size. */
  shapes?: readonly AcmShape[]
  value: string
  placeholder?: string | undefined
  onChange: (instanceId: string) => void
  onBlur?: () => void
}

/** A size, chosen from the provider's table or typed if it has none. */
export function SizeChooser(props: Props) {
  const { aria, provider, region, title, shapes = [], value, placeholder, onChange, onBlur } = props
  const [open, setOpen] = useState(false)
  const prices = usePrices(provider.id, provider.instanceSizes.length > 0 ? region : '')
  const chosen = provider.instanceSizes.find(({ instance_id }) => instance_id === value)
  const price = prices.data?.prices[value]
  const free = freeText(shapes, value)
  if (provider.instanceSizes.length === 0)
    return <IdInput {...{ aria, value, placeholder, onBlur, onChange }} />
  return (
    <>
      <button
        {...aria}
        type="button"
        role="combobox"
        aria-haspopup="dialog"
        aria-expanded={false}
        aria-controls={`${aria.id}-sizes`}
        onClick={() => setOpen(true)}
        onBlur={onBlur}
        className="flex min-h-8 w-full items-center gap-2 rounded-control border border-line-2 bg-surface-2 px-2.5 py-1 text-left text-form transition-colors hover:border-line-3 aria-invalid:border-red"
      >
        {value === '' ? (
          <span className="flex-1 text-ink-3">
            {provider.regions.length === 0 ? 'Any shape' : 'Choose a size'}
          </span>
        ) : (
          <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
            <span className="font-mono text-body">{value}</span>
            <span className="text-label text-ink-2">
              {chosen ? sizeText(chosen) : 'not in the catalog'}
              {price !== undefined && `, ${perHourText(price)}`}
              {free !== undefined && `, ${free}`}
            </span>
          </span>
        )}
        <Glyph icon={ChevronsUpDown} className="text-ink-3" />
      </button>
      {open &&
        // Outside the surrounding form: Enter in the search must not submit it.
        createPortal(
          <Suspense fallback={null}>
            <SizeDialog
              provider={provider}
              region={region}
              title={title}
              shapes={shapes}
              value={value}
              onChoose={onChange}
              onClose={() => setOpen(false)}
            />
          </Suspense>,
          document.body,
        )}
    </>
  )
}
