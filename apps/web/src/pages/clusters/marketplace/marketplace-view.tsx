import { mayAccess } from '@flotilla/contract/access'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { credentials } from '@flotilla/contract/clouds/credentials'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { providerNames } from '@flotilla/contract/site/config'
import { marketplace, platforms, targets } from '@flotilla/contract/stacks/marketplace'
import type { MarketplaceEntry } from '@flotilla/contract/stacks/marketplace'
import { Search, SearchX } from 'lucide-react'
import { useApiQuery } from '../../../api/query'
import { paths, useSearchParam, useSetSearch } from '../../../paths'
import { useIsAdmin, useUser } from '../../../session/user'
import { Button } from '../../../ui/button/button'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { Field } from '../../../ui/form/field'
import { Input, Select } from '../../../ui/form/input'
import { ButtonLink } from '../../../ui/button/link'
import { PageHeader } from '../../../ui/layout/page-header'
import { useProviders } from '../../../clouds/use-provider'
import { EntryCard } from './entry-card'
import { fittingEntries, lacksOnlyCredential, notReady, targetNames, launchBlockedReason } from './entry-text'

/** The marketplace catalog. The search is part of the URL. */
export default function MarketplaceView() {
  const setSearch = useSetSearch()
  const text = useSearchParam('q') ?? ''
  const platform = useSearchParam('platform') ?? ''
  const target = useSearchParam('target') ?? ''
  const launchability = useLaunchability()
  const shown: MarketplaceEntry[] = fittingEntries(marketplace, { text, platform, target })
  const clear = () => setSearch({ q: undefined, platform: undefined, target: undefined })
  return (
    <>
      <PageHeader
        title="Marketplace"
        description="Clusters that are ready to launch. Each opens as a new cluster that you can adjust before you save it."
        actions={<ButtonLink to={paths.clusters()}>All clusters</ButtonLink>}
      />
      <div role="search" className="mb-4 flex flex-wrap items-end gap-3">
        <Field label="Search" optional hideLabel className="w-full sm:w-72">
          {(aria) => (
            <Input
              {...aria}
              icon={Search}
              placeholder="Search the marketplace"
              value={text}
              autoComplete="off"
              onChange={(event) => setSearch({ q: event.target.value || undefined })}
            />
          )}
        </Field>
        <Field label="Platform" optional hideLabel className="w-40">
          {(aria) => (
            <Select
              {...aria}
              value={platform}
              onChange={(event) => setSearch({ platform: event.target.value || undefined })}
            >
              <option value="">All platforms</option>
              {platforms.map((id) => (
                <option key={id} value={id}>
                  {providerNames[id]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Target" optional hideLabel className="w-44">
          {(aria) => (
            <Select
              {...aria}
              value={target}
              onChange={(event) => setSearch({ target: event.target.value || undefined })}
            >
              <option value="">All audiences</option>
              {targets.map((id) => (
                <option key={id} value={id}>
                  {targetNames[id]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <p role="status" className="py-1.5 text-label leading-5 text-ink-3">
          {shown.length} of {marketplace.length}
        </p>
      </div>
      {shown.length === 0 ? (
        <div className="rounded-card border border-line-1 bg-surface-2">
          <EmptyState
            icon={SearchX}
            title="No matches"
            action={<Button onClick={clear}>Clear filter</Button>}
          >
            None of the {marketplace.length} entries match this filter.
          </EmptyState>
        </div>
      ) : (
        <ul className="grid gap-4 sm:grid-cols-2 2xl:grid-cols-3">
          {shown.map((entry) => (
            <EntryCard key={entry.id} entry={entry} {...launchability(entry)} />
          ))}
        </ul>
      )}
    </>
  )
}

/** Returns a function that decides whether the user can launch an entry, and why not. */
function useLaunchability(): (entry: MarketplaceEntry) => { reason: string | null; mayStore: boolean } {
  const mayCreate = mayAccess(clusters.create.access, useUser().role)
  const isAdmin = useIsAdmin()
  const offered = useProviders()
  const keys = useApiQuery(credentials.list, { query: { limit: PAGE_SIZE_MAX } }, { enabled: mayCreate })
  return (entry) => {
    const because = (reason: string | null) => ({ reason, mayStore: false })
    if (entry.action === 'Launch' && !mayCreate)
      return because('Your role cannot create clusters. Ask an admin for the user role')
    // Data that is not loaded yet, or failed to load, does not block the launch: the form checks it too.
    if (!offered.data || !keys.data) return because(entry.action === 'Soon' ? notReady : null)
    const means = {
      offered: offered.data.map(({ id }) => id),
      withCredential: keys.data.map(({ provider }) => provider),
      isAdmin,
    }
    return { reason: launchBlockedReason(entry, means), mayStore: lacksOnlyCredential(entry, means) }
  }
}
