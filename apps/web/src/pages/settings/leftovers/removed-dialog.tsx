import type { Leftover, leftovers } from '@flotilla/contract/clusters/leftovers'
import type { Reply } from '@flotilla/contract/endpoint'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { Dialog } from '../../../ui/overlay/dialog'
import { countOf, describeLeftover } from './leftover-text'

interface Props {
  chosen: readonly Leftover[]
  removal: Reply<typeof leftovers.remove>
  onClose: () => void
}

/** The result for each leftover, if not all were removed. */
export function RemovedDialog({ chosen, removal, onClose }: Props) {
  const removed = chosen.filter(({ key }) => removal.removed.includes(key))
  const failed = chosen.flatMap((leftover) => {
    const reason = removal.failed.find(({ key }) => key === leftover.key)?.reason
    return reason === undefined ? [] : [{ leftover, reason }]
  })
  // Leftovers that were neither removed nor failed: another admin removed them, or a new search did not find them.
  const missing = chosen.length - removed.length - failed.length
  return (
    <Dialog
      open
      onClose={onClose}
      title={`${removed.length} of ${countOf(chosen.length)} removed`}
      footer={
        <Button onClick={onClose} data-autofocus="">
          Close
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        {failed.map(({ leftover, reason }) => (
          <Callout key={leftover.key} tone="red" title={`Not removed: ${describeLeftover(leftover)}`}>
            {reason}
          </Callout>
        ))}
        {removed.length > 0 && (
          <Callout tone="green" title="Removed">
            <ul className="list-disc pl-5">
              {removed.map((leftover) => (
                <li key={leftover.key}>{describeLeftover(leftover)}</li>
              ))}
            </ul>
          </Callout>
        )}
        {missing > 0 && (
          <Callout tone="gray">
            {missing === 1 ? '1 was' : `${missing} were`} no longer on the list: removed by someone else, or
            not found again.
          </Callout>
        )}
      </div>
    </Dialog>
  )
}
