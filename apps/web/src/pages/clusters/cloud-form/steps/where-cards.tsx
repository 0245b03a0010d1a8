import type { Provider } from '@flotilla/contract/clouds/providers'
import { FileUp, Store } from 'lucide-react'
import { Suspense, lazy, useEffect, useRef, useState } from 'react'
import { useConfig } from '../../../../api/config'
import { paths, useGo } from '../../../../paths'
import { Button } from '../../../../ui/button/button'
import { ButtonLink } from '../../../../ui/button/link'
import { RadioCards } from '../../../../ui/form/radio-cards'
import { useProviders } from '../../../../clouds/use-provider'
import type { ClusterFile } from '../../yaml/cluster-yaml'
import { setImported } from '../values/imported'

const ImportDialog = lazy(() => import('../../yaml/import-dialog'))

interface Props {
  chosen: Provider['id'] | 'local'
  /** Called before another provider is shown. */
  onLeave?: (next: Provider['id'] | 'local') => void
}

/** Makes the cards of the next page take the focus, so that the arrow keys keep working. */
let handsOverFocus = false

/** Lets the user choose where to create a cluster: on existing machines, or in one of the available clouds. */
export function WhereCards({ chosen, onLeave }: Props) {
  const go = useGo()
  const { data: offered = [] } = useProviders()
  const cards = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (handsOverFocus) cards.current?.querySelector<HTMLElement>(':checked')?.focus()
    handsOverFocus = false
  }, [chosen])
  const choose = (next: Provider['id'] | 'local') => {
    handsOverFocus = true
    onLeave?.(next)
    go(paths.clusters(), { new: next === 'local' ? '1' : next })
  }
  // There is nothing to choose from, or the providers are not loaded yet.
  if (offered.length === 0 && chosen === 'local') return null
  return (
    <div ref={cards} className="mb-4">
      <RadioCards
        legend="Where"
        hideLegend
        name="where"
        columns={6}
        value={chosen}
        onChange={choose}
        options={[
          { value: 'local', label: 'Your machines', description: 'Already set up' },
          ...offered.map(({ id, name, simulated, regions }) => ({
            value: id,
            label: name,
            description: `${regions.length > 0 ? `${regions.length} regions` : 'Your MAAS'}${simulated ? ', simulated' : ''}`,
          })),
        ]}
      />
    </div>
  )
}

/** Other starting points for a new cluster: the marketplace and a file. */
export function NewActions() {
  const go = useGo()
  const { features } = useConfig()
  const [importing, setImporting] = useState(false)
  const open = (values: ClusterFile) => {
    setImporting(false)
    setImported(values)
    go(paths.clusters(), { new: values.provider === 'local' ? '1' : values.provider, from: 'file' })
  }
  return (
    <>
      {features.marketplace && (
        <ButtonLink to={paths.clusters()} search={{ view: 'marketplace' }} icon={Store}>
          Marketplace
        </ButtonLink>
      )}
      <Button icon={FileUp} onClick={() => setImporting(true)}>
        Import YAML
      </Button>
      {importing && (
        <Suspense fallback={null}>
          <ImportDialog onRead={open} onClose={() => setImporting(false)} />
        </Suspense>
      )}
    </>
  )
}
