import { providers } from '@flotilla/contract/clouds/providers'
import { stacks } from '@flotilla/contract/stacks/stacks'
import { useApiQuery } from '../../api/query'
import { usePathParam } from '../../paths'
import { Async } from '../../ui/feedback/async'
import { PageHeader } from '../../ui/layout/page-header'
import { SkeletonText } from '../../ui/feedback/skeleton'
import { StackForm } from './form/stack-form'

export default function EditStack() {
  const id = usePathParam('id') ?? ''
  const stack = useApiQuery(stacks.view, { id })
  const offered = useApiQuery(providers.list, {})
  const [first, ...others] = offered.data ?? []
  return (
    <>
      {!(stack.data && first) && <PageHeader title="Edit stack" />}
      <Async data={stack} skeleton={<SkeletonText lines={8} />}>
        {(saved) =>
          first && (
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
