import { clusters } from '@flotilla/contract/clusters/clusters'
import { leftovers, type Leftover } from '@flotilla/contract/clusters/leftovers'
import type { Reply } from '@flotilla/contract/endpoint'
import { useState } from 'react'
import { useConfig } from '../../../api/config'
import { call } from '../../../api/call'
import { useApiMutation, useInvalidate } from '../../../api/query'
import type { BulkContext } from '../../../table/selection/use-bulk-run'
import { Callout } from '../../../ui/feedback/callout'
import { ConfirmDialog } from '../../../ui/overlay/confirm-dialog'
import { notices } from '../../../ui/feedback/notices-store'
import { costOf, countOf, nameOf, describeLeftover } from './leftover-text'
import { RemovedDialog } from './removed-dialog'

interface Props {
  chosen: readonly Leftover[]
  /** The context of a selection, which shows the progress. */
  bulk?: BulkContext | undefined
  onClose: () => void
}
type Removal = Reply<typeof leftovers.remove>

const changes = [leftovers.list, clusters.list, clusters.view]
/** Leftovers per call. Each removal takes time in the cloud, so a small number keeps calls short. */
const PER_CALL = 5
const NOT_FOUND = 'No longer on the list: it was removed by someone else, or not found again'

/** Lists what will be lost, removes it, and stays open to report what could not be removed. */
export function RemoveDialog({ chosen, bulk, onClose }: Props) {
  const { simulated } = useConfig()
  const [removal, setRemoval] = useState<Removal | null>(null)
  const remove = useApiMutation(leftovers.remove, {
    invalidates: changes,
    onSuccess: (reply) => {
      if (reply.removed.length < chosen.length) return setRemoval(reply)
      notices.success(`Removed ${namesOf(chosen)}`)
      onClose()
    },
  })
  const invalidate = useInvalidate()
  const removeMany = ({ run }: BulkContext) => {
    onClose()
    void run({
      doing: 'Removing',
      done: (many) => `Removed ${countOf(many)}`,
      rows: chosen,
      idOf: ({ key }) => key,
      nameOf: describeLeftover,
      perCall: PER_CALL,
      act: async (part) => {
        const keys = part.map(({ key }) => key)
        const { removed, failed } = await call(leftovers.remove, { body: { keys } })
        const reasons = new Map(failed.map(({ key, reason }) => [key, reason]))
        const notFound = keys.filter((key) => !removed.includes(key) && !reasons.has(key))
        return new Map([...reasons, ...notFound.map((key) => [key, NOT_FOUND] as const)])
      },
      onEnd: () => invalidate(changes),
    })
  }
  if (removal) return <RemovedDialog chosen={chosen} removal={removal} onClose={onClose} />

  const [only] = chosen
  const count = countOf(chosen.length)
  const cost = costOf(chosen, simulated)
  return (
    <ConfirmDialog
      open
      size="m"
      onClose={onClose}
      title={`Remove ${count}?`}
      confirmLabel={`Remove ${count}`}
      typeToConfirm={only && chosen.length === 1 ? nameOf(only) : `remove ${chosen.length}`}
      // A failure of the whole request opens the ERROR dialog.
      onConfirm={() =>
        bulk
          ? removeMany(bulk)
          : remove.mutateAsync({ body: { keys: chosen.map(({ key }) => key) } }).catch(() => {})
      }
    >
      <Callout tone="red" title="Permanently deleted in the cloud">
        All data on these disks and machines is lost. This cannot be undone.
      </Callout>
      <ul className="max-h-60 list-disc space-y-1.5 overflow-y-auto pl-5 wrap-anywhere">
        {chosen.map((leftover) => (
          <li key={leftover.key}>
            {describeLeftover(leftover)}
            <span className="block font-mono text-label text-ink-3">
              {[leftover.credential, leftover.region, leftover.id].filter(Boolean).join(' · ')}
            </span>
          </li>
        ))}
      </ul>
      {cost !== null && <p className="text-label text-ink-3">This saves {cost}.</p>}
    </ConfirmDialog>
  )
}

const NAMED = 3
const namesOf = (all: readonly Leftover[]): string =>
  all.length > NAMED ? countOf(all.length) : all.map(describeLeftover).join('; ')
