import type { Transaction } from '../../../db/database'
import type { AuditSource } from '../../../http/caller'
import type { Queue } from '../../../queue/queue'
import { record, subjectOf, type Actor } from '../../activities/activities'
import { defineRuns } from '../../runs/runs'
import { notifyInstructors } from '../notify'
import * as store from '../store'

export const trainingRuns = defineRuns('workshop', 'training-run', 'training_runs')
export const LOG = 'run'
type Run = { id: string; action: 'prepare' | 'teardown' }

/** Begins a run in the transaction of the change that requires it. */
export async function beginRun(
  tx: Transaction,
  queue: Queue,
  training: store.FoundTraining,
  action: Run['action'],
  by: { actor: Actor; source: AuditSource; at: Date },
): Promise<void> {
  // A preparation must not continue while its seats are torn down.
  if (action === 'teardown') await trainingRuns.abort(tx, training.id, by.at, 'The workshop has ended')
  if (action === 'prepare') await store.clearLogs(tx, training.id)
  const preparation = action === 'prepare' ? 'preparing' : 'tearing-down'
  await store.update(tx, training.id, { preparation, preparation_cause: null })
  const { actor, source, at } = by
  await trainingRuns.begin(tx, queue, training.id, { actor, at, action })
  await record(tx, actor, source, { action: `${action} started`, subject: subjectOf('workshop', training) })
  await notifyInstructors(tx, training)
}
