import { messages } from '@flotilla/contract/messages'
import { twoStep, type TwoStepChange, type TwoStepSettings } from '@flotilla/contract/site/two-step'
import { useApiMutation } from '../../../api/query'
import { notices } from '../../../ui/feedback/notices-store'

const withNotice = async <T>(work: Promise<T>, failed: string): Promise<T> => {
  try {
    return await work
  } catch (error) {
    notices.error(failed)
    throw error
  }
}

/** Adds a rule. A failure also shows a notice, in addition to the errors on the fields. */
export function useAddRule() {
  const add = useApiMutation(twoStep.add, { success: messages.twoStepAdded, invalidates: [twoStep.list] })
  return (body: TwoStepChange & { enabled: boolean }): Promise<TwoStepSettings> =>
    withNotice(add.mutateAsync({ body }), messages.twoStepAddFailed)
}

export function useUpdateRule() {
  const update = useApiMutation(twoStep.update, {
    success: messages.twoStepUpdated,
    invalidates: [twoStep.list],
  })
  return (id: string, body: TwoStepChange): Promise<TwoStepSettings> =>
    withNotice(update.mutateAsync({ id, body }), messages.twoStepUpdateFailed)
}
