import { useState } from 'react'
import { notices } from '../../ui/feedback/notices-store'
import { runBulk } from './bulk-work'
import type { BulkWork } from './bulk-work'
import { failedRows } from './failed-rows'

/** What a bulk action can do with the selected rows. */
export interface BulkContext {
  run: <Row>(work: BulkWork<Row>) => Promise<void>
  /** Clears the selection, for an action that makes its own call, after it has succeeded. */
  clear: () => void
}

export interface BulkProgress {
  text: string
  /** 0 to 1. */
  share: number
  stop: (() => void) | null
}

const number = new Intl.NumberFormat()

/** Runs a bulk action; afterward, only the rows for which it did not succeed stay selected. */
export function useBulkRun(only: (ids: ReadonlySet<string>) => void) {
  const [progress, setProgress] = useState<BulkProgress | null>(null)

  const run: BulkContext['run'] = async (work) => {
    const total = work.rows.length
    let stopped = false
    const stop = () => {
      stopped = true
      show(ended, null)
    }
    let ended = 0
    const show = (count: number, onStop: BulkProgress['stop']) => {
      ended = count
      const text = `${work.doing} ${number.format(count)} of ${number.format(total)}`
      setProgress({ text, share: count / total, stop: onStop })
    }
    show(0, stop)
    const { succeeded, failures, left } = await runBulk(work, {
      onProgress: (count) => show(count, stopped ? null : stop),
      isStopped: () => stopped,
    })
    setProgress(null)
    only(new Set([...failures.map(({ id }) => id), ...left.map(work.idOf)]))
    if (succeeded > 0) notices.success(work.done(succeeded))
    if (failures.length > 0)
      failedRows.show({
        title: `${number.format(failures.length)} of ${number.format(total)} failed`,
        failures,
      })
    work.onEnd?.()
  }
  return { run, progress }
}
