import { credentials } from '@flotilla/contract/clouds/credentials'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { providers } from '@flotilla/contract/clouds/providers'
import { stacks } from '@flotilla/contract/stacks/stacks'
import { Cloud } from 'lucide-react'
import { isFirstLoad, useApiQuery } from '../../api/query'
import { useSearchParam } from '../../paths'
import { Async } from '../../ui/feedback/async'
import { EmptyState } from '../../ui/feedback/empty-state'
import { PageHeader } from '../../ui/layout/page-header'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { StackForm } from './form/stack-form'

/** A new stack, or a copy (`?from=`). Scripts and data files are not copied, because they belong to their owner. */
export default function NewStack() {
  const from = useSearchParam('from')
  const offered = useApiQuery(providers.list, {})
  const original = useApiQuery(stacks.view, { id: from ?? '' }, { enabled: from !== undefined })
  // The first provider for which the user has a credential is preselected.
  const keys = useApiQuery(credentials.list, { query: { limit: PAGE_SIZE_MAX } })
  const usableProviders = keys.data?.map(({ provider }) => provider)
  const ready = (from === undefined || original.data !== undefined) && !isFirstLoad(keys)
  return (
    <>
      {!(offered.data && ready) && <PageHeader title="New stack" />}
      <Async
        data={offered}
        skeleton={<SkeletonText lines={8} />}
        empty={
          <EmptyState icon={Cloud} title="No providers available">
            Ask an admin to enable a cloud provider for your account.
          </EmptyState>
        }
      >
        {([first, ...others]) =>
          first &&
          ready && (
            <StackForm
              title={original.data ? `Copy of ${original.data.name}` : 'New stack'}
              stack={null}
              {...(original.data && { start: original.data })}
              offered={[first, ...others]}
              preferred={[first, ...others].find(({ id }) => usableProviders?.includes(id)) ?? first}
            />
          )
        }
      </Async>
    </>
  )
}
