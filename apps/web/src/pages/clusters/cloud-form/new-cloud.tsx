import { clusters } from '@flotilla/contract/clusters/clusters'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import type { MarketplaceEntry } from '@flotilla/contract/stacks/marketplace'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { useQuery } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useApiQuery } from '../../../api/query'
import { paths, useSearchParam } from '../../../paths'
import { Async } from '../../../ui/feedback/async'
import { Callout } from '../../../ui/feedback/callout'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { ButtonLink } from '../../../ui/button/link'
import { PageHeader } from '../../../ui/layout/page-header'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { useProviders } from '../../../clouds/use-provider'
import { imageText } from '../marketplace/entry-text'
import { narrowed, valuesOfEntry } from '../marketplace/launch'
import CloudForm from './cloud-form'
import type { Typed } from './cloud-form'
import { carriedTo, copyOf, inTheirFields, newValues } from './values/cloud-values'
import type { CloudValues } from './values/cloud-values'
import { useStore } from '../../../store'
import { imported } from './values/imported'
import { NewActions, WhereCards } from './steps/where-cards'

/** A new cloud cluster: from the defaults, a copy, a file or a marketplace entry. */
export default function NewCloud({ wanted }: { wanted: string }) {
  const offered = useProviders()
  const copy = useSearchParam('copy')
  const entry = useSearchParam('entry')
  const fromFile = useSearchParam('from') === 'file'
  const typed = useRef<Typed>(null)
  // The values typed for the last provider, carried over to the next.
  const [carried, setCarried] = useState<CloudValues | null>(null)
  // Importing a file on this page restarts the form.
  const file = useStore(imported)
  const isFree = copy === undefined && entry === undefined && !fromFile
  return (
    <>
      <PageHeader
        title="New cluster"
        description="In a cloud. Nothing starts or costs anything until you deploy it."
        actions={<NewActions />}
      />
      <Async data={offered} skeleton={<SkeletonText lines={8} />}>
        {(list) => {
          const provider = list.find(({ id }) => id === wanted)
          if (!provider) return <NotOffered />
          return (
            <>
              {isFree && (
                <WhereCards
                  chosen={provider.id}
                  onLeave={(next) => {
                    setCarried(next === 'local' ? null : (typed.current?.values() ?? null))
                    typed.current?.leave()
                  }}
                />
              )}
              {copy !== undefined ? (
                <FromCluster key={copy} id={copy} provider={provider} />
              ) : entry !== undefined ? (
                <FromEntry key={entry} id={entry} provider={provider} />
              ) : (
                <CloudForm
                  key={`${provider.id} ${fromFile ? (file?.number ?? '') : ''}`}
                  cluster={null}
                  admin={false}
                  provider={provider}
                  typed={typed}
                  {...startOf(provider, fromFile, carried)}
                />
              )}
            </>
          )
        }}
      </Async>
    </>
  )
}

/** The form's initial values and a note on their source. The form reads them only on first render. */
function startOf(provider: Provider, fromFile: boolean, carried: CloudValues | null) {
  if (!fromFile) return { start: carried ? carriedTo(provider, carried) : newValues(provider) }
  const file = imported.get()?.values
  return file?.provider === provider.id
    ? {
        start: inTheirFields(provider, file),
        prepared: true,
        note: (
          <Callout tone="gray" title="From a file">
            Review the steps. Nothing is saved yet.
          </Callout>
        ),
      }
    : {
        start: newValues(provider),
        note: <Callout tone="amber" title="The page was reloaded. Import the file again." />,
      }
}

function FromCluster({ id, provider }: { id: string; provider: Provider }) {
  const cluster = useApiQuery(clusters.view, { id })
  const isOf = (found: { provider: string }): found is CloudCluster => found.provider === provider.id
  return (
    <Async data={cluster} skeleton={<SkeletonText lines={8} />}>
      {(found) =>
        isOf(found) ? (
          <CloudForm
            cluster={null}
            admin={false}
            provider={provider}
            start={inTheirFields(provider, copyOf(found))}
            prepared
            note={
              <Callout tone="gray" title={`Copy of ${found.name}`}>
                Everything except secrets was copied. Nothing is saved yet.
              </Callout>
            }
          />
        ) : (
          <NotOffered />
        )
      }
    </Async>
  )
}

function FromEntry({ id, provider }: { id: string; provider: Provider }) {
  const catalog = useQuery({
    queryKey: ['marketplace'],
    queryFn: () => import('@flotilla/contract/stacks/marketplace').then(({ marketplace }) => marketplace),
    staleTime: Infinity,
  })
  const launchable = ({ action, platform }: MarketplaceEntry) =>
    action === 'Launch' && platform === provider.id
  return (
    <Async data={catalog} skeleton={<SkeletonText lines={8} />}>
      {(entries) => {
        const entry = entries.find((one) => String(one.id) === id && launchable(one))
        if (!entry) return <NotOffered />
        return <LaunchForm entry={entry} provider={provider} />
      }}
    </Async>
  )
}

function LaunchForm({ entry, provider }: { entry: MarketplaceEntry; provider: Provider }) {
  const narrowedProvider = useMemo(() => narrowed(provider, entry), [provider, entry])
  return (
    <CloudForm
      cluster={null}
      admin={false}
      provider={narrowedProvider}
      start={valuesOfEntry(entry, provider)}
      prepared
      note={
        <Callout tone="gray" title={`${entry.name}, from the marketplace`}>
          {imageText(entry)} Only the regions and sizes that the entry supports are offered.
        </Callout>
      }
    />
  )
}

const NotOffered = () => (
  <EmptyState
    icon={CloudOff}
    title="This cluster cannot be created"
    action={
      <ButtonLink to={paths.clusters()} search={{ new: '1' }}>
        New cluster
      </ButtonLink>
    }
  >
    The provider, cluster or marketplace entry doesn’t exist, or it isn’t available to you.
  </EmptyState>
)
