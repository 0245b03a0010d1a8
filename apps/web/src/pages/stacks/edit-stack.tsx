import { credentials } from '@flotilla/contract/clouds/credentials'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { providers } from '@flotilla/contract/clouds/providers'
import { stacks } from '@flotilla/contract/stacks/stacks'
import { isFirstLoad, useApiQuery } from '../../api/query'
import { usePathParam } from '../../paths'
import { Async } from '../../ui/feedback/async'
import { PageHeader } from '../../ui/layout/page-header'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { StackForm } from './form/stack-form'

export default function EditStack() {
  const id = usePathParam('id') ?? ''
  const stack = useApiQuery(stacks.view, { id })
  const offered = useApiQuery(providers.list, {})
  const keys = useApiQuery(credentials.list, { query: { limit: PAGE_SIZE_MAX } })
  const [first, ...others] = offered.data ?? []
  // The form can show the chosen credential only after the credentials are loaded.
  const ready = first !== undefined && !isFirstLoad(keys)
  return (
    <>
      {!(stack.data && ready) && <PageHeader title="Edit stack" />}
      <Async data={stack} skeleton={<SkeletonText lines={8} />}>
        {(saved) =>
          ready && (
            <StackForm
              key={saved.id}
              title={`Edit ${saved.name}`}
              stack={saved}
              offered={[first, ...others]}
            />
          )
        }
      </Async>
    </>
  )
}
