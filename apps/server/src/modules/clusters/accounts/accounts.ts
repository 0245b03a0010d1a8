import { removeAccount } from '../../../cloud-init/commands'
import type { Queryable } from '../../../db/database'
import { explain } from '../../../explain'
import { fail } from '../../../fail'
import { query } from '../commands/query'
import { runOn } from '../commands/run-on'
import { ACCOUNT_MS, accountName, ensureAccount } from './ensure-account'
import type { ClusterConnection } from '../commands/connection'
import type { StoredCluster } from '../stored-cluster'
import * as store from './store'
import { localUid } from './uids'

type Person = { id: string; username: string }

const accountOf = ({ id }: Pick<StoredCluster, 'id'>, person: Person) => ({
  clusterId: id,
  name: accountName(person.username),
  userId: person.id,
})

/** How many times the person's account was removed: connections opened before the last removal are stale. */
export const timesRemoved = (db: Queryable, cluster: StoredCluster, person: Person): Promise<number> =>
  store.removals(db, accountOf(cluster, person))

/**
 * Ensures that the person has an account on machines that the console created. Returns the account's name, or fails if
 * the person may no longer use the cluster.
 */
export async function accountOn(
  db: Queryable,
  cluster: StoredCluster,
  person: Person,
  admin: ClusterConnection,
  key: string,
): Promise<string> {
  const account = accountOf(cluster, person)
  if (!(await store.mayHave(db, cluster.id, person.id, new Date())))
    fail('no_account', {
      message: `The cluster ${cluster.name} is no longer shared with ${person.username}`,
    })
  const uid = await localUid(db, person.id)
  // The account is recorded before it is created, so that none is forgotten.
  if (!(await store.note(db, { ...account, uid })))
    fail('no_account', { message: `The account ${account.name} on this cluster belongs to someone else` })
  await ensureAccount(admin, { username: person.username, uid, key })
  return account.name
}

/**
 * Removes the accounts of people who may no longer use the cluster, and ends their processes. Their files stay.
 * Returns whose accounts were removed.
 */
export async function withdrawAccounts(
  db: Queryable,
  clusterId: string,
  connection: ClusterConnection,
  at: Date,
): Promise<string[]> {
  const gone = await store.withdrawn(db, clusterId, at)
  if (gone.length === 0) return []
  const names = gone.map(({ name }) => name)
  // A waiting job could not start in a missing account and would be held forever.
  const jobs = await query(connection, connection.scheduler.queue()).catch(() => [])
  for (const job of jobs)
    if (job.state !== 'completed' && names.includes(job.user))
      await query(connection, connection.scheduler.cancel(job.id)).catch(() => {})
  const failed: string[] = []
  for (const one of gone)
    try {
      await runOn(connection, removeAccount(one.name, false), ACCOUNT_MS)
      await store.noteRemoved(db, clusterId, one)
    } catch (error) {
      failed.push(`The account ${one.name} could not be removed: ${explain(error)}`)
    }
  if (failed.length > 0) throw new Error(failed.join('. '))
  return names
}

/** The machines are gone, and all accounts with them. */
export const forgetAccounts = (db: Queryable, clusterId: string) => store.noteRemoved(db, clusterId)
