import { stacks } from '@flotilla/contract/stacks/stacks'
import { call } from '../../api/call'
import { useApiMutation } from '../../api/query'
import { offerSlurm } from '../../clouds/offer-slurm'
import { useIsAdmin } from '../../session/user'
import { valuesOf } from './form/stack-values'

const invalidates = [stacks.list, stacks.view, stacks.logs, stacks.imagesInfo]

/** Builds a stack. If Torque is unavailable, the error offers Slurm. */
export function useBuild({ lead, onSuccess }: { lead?: string; onSuccess?: (id: string) => void } = {}) {
  const admin = useIsAdmin()
  const update = useApiMutation(stacks.update, {
    admin,
    invalidates,
    success: 'The stack now uses Slurm. Nothing is built yet.',
  })
  const toSlurm = async (id: string) => {
    const stack = await call(stacks.view, { id }, { admin })
    const { data, ...input } = valuesOf(stack)
    const { collaborators } = stack
    update.mutate({
      body: { ...input, id, collaborators, data: { ...data, manager: 'slurm' } },
    })
  }
  return useApiMutation(stacks.build, {
    admin,
    invalidates,
    ...(lead !== undefined && { lead }),
    onSuccess: ({ stack }) => onSuccess?.(stack.id),
    offer: offerSlurm(toSlurm),
  })
}
