import { messages } from '@flotilla/contract/messages'
import { trainings } from '@flotilla/contract/trainings/trainings'
import { toApiError } from '@flotilla/client/api-error'
import { call } from '../../../api/call'
import { useInvalidate } from '../../../api/query'
import { useIsAdmin } from '../../../session/user'
import type { BulkContext } from '../../../table/selection/use-bulk-run'

type Work = 'removeUsers' | 'terminateVnc'
type Person = { id: string; email: string; name: string }

const texts: Record<Work, { doing: string; done: string; failed: string }> = {
  removeUsers: { doing: 'Removing', done: 'Users removed completely', failed: messages.removeUsersFailed },
  terminateVnc: {
    doing: 'Terminating',
    done: 'VNC sessions terminated',
    failed: messages.terminateVncFailed,
  },
}

/** Applies an instructor's action to several participants. The progress is shown with their table. */
export function useManyParticipants(trainingId: string) {
  const admin = useIsAdmin()
  const invalidate = useInvalidate()
  return (work: Work, people: readonly Person[], { run }: BulkContext): Promise<void> => {
    const { doing, done, failed } = texts[work]
    return run({
      doing,
      done: () => done,
      rows: people,
      idOf: ({ id }) => id,
      nameOf: ({ name }) => name,
      act: async ([person]) => {
        const body = { userEmails: [person?.email ?? ''], clusterId: null }
        await call(trainings[work], { id: trainingId, body }, { admin }).catch((error: unknown) => {
          const known = toApiError(error)
          // The text of the specification, followed by the server's reason.
          if (known.message && known.status !== 401) known.message = `${failed}: ${known.message}`
          throw known
        })
      },
      onEnd: () => invalidate([trainings.seats, trainings.view]),
    })
  }
}
