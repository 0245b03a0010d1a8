import type { Insertable } from 'kysely'
import type { ClusterRow } from '../../../src/db/tables/clusters'
import type { SubmissionRow } from '../../../src/db/tables/jobs'
import type { TestApp } from './app'

type Submission = Insertable<SubmissionRow>

/** Inserts a submission that no resource manager has. */
export async function insertSubmission(
  { db }: TestApp,
  by: { id: string; username: string },
  row: Pick<Submission, 'job_id' | 'state'> & Partial<Submission>,
): Promise<string> {
  const id = row.id ?? `sub${row.job_id}`
  await db.kysely
    .insertInto('submissions')
    .values({
      id,
      job_name: id,
      cluster_name: 'Torque',
      user_id: by.id,
      submitted_by: by.username,
      run_as_admin: false,
      account: by.username,
      submitted_at: new Date(),
      data: '{}',
      folder: `flotilla/${id}`,
      ...row,
    })
    .execute()
  return id
}

/** Inserts a cluster of existing machines, with nothing behind it that could be polled. */
export async function insertCluster(
  { db }: TestApp,
  owner: { id: string },
  name: string,
  more: Partial<Insertable<ClusterRow>> = {},
): Promise<string> {
  const id = `id-of-${name.replaceAll(' ', '-')}`
  const json = { data: '{}', queue_counts: '{}', node_counts: '{}', largest_node: '{}', node_totals: '{}' }
  const lists = { info: '{}', up_nodes: '[]', fast_restore: '[]', kept_ids: '[]' }
  const times = { state: 'available' as const, state_since: new Date(), created_at: new Date() }
  await db.kysely
    .insertInto('clusters')
    .values({
      id,
      owner_id: owner.id,
      name,
      description: '',
      provider: 'local',
      ...json,
      ...lists,
      ...times,
      ...more,
    })
    .execute()
  return id
}
