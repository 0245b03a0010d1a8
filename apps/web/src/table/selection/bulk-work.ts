import { toApiError } from '@flotilla/client/api-error'

/** One action on many rows. */
export interface BulkWork<Row> {
  /** Shown with the progress, such as 'Canceling'. */
  doing: string
  /** The notice at the end, such as '12 jobs canceled'. */
  done: (count: number) => string
  rows: readonly Row[]
  idOf: (row: Row) => string
  nameOf: (row: Row) => string
  /** One call. A rejection counts for all its rows; otherwise it resolves with the reasons of those that failed, by ID. */
  act: (rows: readonly Row[]) => Promise<ReadonlyMap<string, string> | void>
  /** Rows per call; 1 by default. */
  perCall?: number
  /** Called at the end, whatever the outcome. */
  onEnd?: () => void
}

export interface BulkFailure {
  id: string
  name: string
  reason: string
}

/** The number of concurrent calls if each call is about one row. */
const SIDE_BY_SIDE = 4

/** Acts on all rows, even if one fails. Stops on request, when the session ends, or when the user cancels a dialog. */
export async function runBulk<Row>(
  work: BulkWork<Row>,
  { onProgress, isStopped }: { onProgress: (ended: number) => void; isStopped: () => boolean },
): Promise<{ succeeded: number; failures: BulkFailure[]; left: readonly Row[] }> {
  const { rows, idOf, nameOf, act, perCall = 1 } = work
  const failures: BulkFailure[] = []
  let [begun, succeeded, stopped] = [0, 0, false]

  const next = async (): Promise<void> => {
    const part = rows.slice(begun, begun + perCall)
    if (part.length === 0 || stopped || isStopped()) return
    begun += part.length
    let reasonOf: (row: Row) => string | undefined
    try {
      const failed = await act(part)
      reasonOf = (row) => failed?.get(idOf(row))
    } catch (error) {
      const { message, status } = toApiError(error)
      // Without a message, the user closed the password dialog; without a session, every other call would fail too.
      if (message === '' || status === 401) stopped = true
      reasonOf = () => message
    }
    for (const row of part) {
      const reason = reasonOf(row)
      if (reason === undefined) succeeded += 1
      else failures.push({ id: idOf(row), name: nameOf(row), reason })
    }
    onProgress(succeeded + failures.length)
    return next()
  }
  await Promise.all(Array.from({ length: perCall === 1 ? SIDE_BY_SIDE : 1 }, next))
  return { succeeded, failures: failures.filter(({ reason }) => reason !== ''), left: rows.slice(begun) }
}
