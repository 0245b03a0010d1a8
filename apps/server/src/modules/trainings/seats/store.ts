import { sql, type Updateable } from 'kysely'
import type { ClusterState } from '@flotilla/contract/clusters/states'
import type { Queryable, Transaction } from '../../../db/database'
import type { TrainingSeatRow } from '../../../db/tables/trainings'

const LOAD_MINUTES = 10

/** The seats as the control room shows them, in order. */
export const seats = (db: Queryable, trainingId: string) =>
  db
    .selectFrom('training_seats as s')
    .leftJoin('training_registrations as r', 'r.id', 's.registration_id')
    .leftJoin('users as u', 'u.id', 's.user_id')
    .leftJoin('clusters as c', 'c.id', 's.cluster_id')
    .selectAll('s')
    .select(['r.full_name', 'r.email', 'r.registered_at', 'r.verified_at'])
    .select(['u.username', 'u.end_time'])
    .select(['c.state as cluster_state', 'c.name as cluster_name'])
    .select([
      sql<number | null>`(select l.load_avg from cluster_loads l where l.cluster_id = s.cluster_id
        and l.time > now() - interval '${sql.lit(LOAD_MINUTES)} minutes' order by l.time desc limit 1)`.as(
        'load',
      ),
      sql<number>`(select count(*)::int from submissions j where j.user_id = s.user_id and j.state = 'running')`.as(
        'running_jobs',
      ),
    ])
    .where('s.training_id', '=', trainingId)
    .orderBy('s.number')
    .execute()
export type FoundSeat = Awaited<ReturnType<typeof seats>>[number]

export const addSeats = (tx: Transaction, trainingId: string, from: number, to: number) =>
  sql`insert into training_seats (training_id, number) select ${trainingId}::text, generate_series(${from}::int, ${to}::int)`.execute(
    tx,
  )
/** Removes seats that are neither taken nor prepared. Returns how many were removed. */
export const removeFreeSeats = async (tx: Transaction, trainingId: string, above: number): Promise<number> =>
  Number(
    (
      await tx
        .deleteFrom('training_seats')
        .where('training_id', '=', trainingId)
        .where('number', '>', above)
        .where('registration_id', 'is', null)
        .where('user_id', 'is', null)
        .where((either) => either.or([either('cluster_id', 'is', null), either('own_cluster', '=', false)]))
        .executeTakeFirst()
    ).numDeletedRows,
  )

export const seatOf = (tx: Transaction, registrationId: string) =>
  tx
    .selectFrom('training_seats')
    .selectAll()
    .where('registration_id', '=', registrationId)
    .forUpdate()
    .executeTakeFirst()

/** Claims a free seat. Seats that other logins have locked are skipped, and waited for only if no other is left. */
export const claimSeat = async (tx: Transaction, trainingId: string) => {
  const free = tx
    .selectFrom('training_seats')
    .selectAll()
    .where('training_id', '=', trainingId)
    .where('registration_id', 'is', null)
    .orderBy('number')
    .limit(1)
    .forUpdate()
  return (await free.skipLocked().executeTakeFirst()) ?? free.executeTakeFirst()
}

export const lockSeat = (tx: Transaction, trainingId: string, number: number) =>
  tx
    .selectFrom('training_seats')
    .selectAll()
    .where('training_id', '=', trainingId)
    .where('number', '=', number)
    .forUpdate()
    .executeTakeFirst()

export const updateSeat = (
  tx: Queryable,
  { training_id, number }: Pick<TrainingSeatRow, 'training_id' | 'number'>,
  values: Updateable<TrainingSeatRow>,
) =>
  tx
    .updateTable('training_seats')
    .set(values)
    .where('training_id', '=', training_id)
    .where('number', '=', number)
    .execute()

/** The seats of these people, or all that are taken. */
export const seatsOf = (tx: Queryable, trainingId: string, emails?: string[]) =>
  tx
    .selectFrom('training_seats as s')
    .innerJoin('training_registrations as r', 'r.id', 's.registration_id')
    .leftJoin('users as u', 'u.id', 's.user_id')
    .select(['s.training_id', 's.number', 's.user_id', 's.cluster_id', 's.registration_id'])
    .select(['r.email', 'r.full_name', 'u.username', 'u.end_time'])
    .where('s.training_id', '=', trainingId)
    .$if(emails !== undefined, (query) => query.where('r.email', 'in', emails ?? []))
    .orderBy('s.number')
    .execute()

/** The seat of a participant by their account. */
export const seatOfUser = (db: Queryable, userId: string) =>
  db
    .selectFrom('training_seats as s')
    .innerJoin('training_registrations as r', 'r.id', 's.registration_id')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .leftJoin('clusters as c', 'c.id', 's.cluster_id')
    .selectAll('s')
    .select(['r.email', 'r.full_name', 'u.end_time', 'c.state as cluster_state'])
    .where('s.user_id', '=', userId)
    .executeTakeFirst()

/** The accounts of a workshop's seats, taken or not. */
export const accounts = (db: Queryable, trainingId: string) =>
  db
    .selectFrom('training_seats as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.number', 's.cluster_id', 'u.id', 'u.username', 'u.role', 'u.session_code', 'u.end_time'])
    .where('s.training_id', '=', trainingId)
    .orderBy('s.number')
    .execute()

/**
 * Assigns the cluster that all seats share, or none if each gets its own. A seat keeps a cluster that was created for
 * it.
 */
export const setSharedCluster = (tx: Transaction, trainingId: string, clusterId: string | null) =>
  tx
    .updateTable('training_seats')
    .set({ cluster_id: clusterId })
    .where('training_id', '=', trainingId)
    .where('own_cluster', '=', false)
    .execute()

export const setUserEnds = (tx: Transaction, userIds: string[], endTime: Date) =>
  tx.updateTable('users').set({ end_time: endTime }).where('id', 'in', userIds).execute()
export const endSessions = (tx: Transaction, userIds: string[]) =>
  tx.deleteFrom('sessions').where('user_id', 'in', userIds).execute()

/**
 * Records that a participant is at their seat. The time since the last heartbeat counts as attended unless it is late.
 * Returns the workshop and whether the participant was away.
 */
export const attend = async (db: Queryable, userId: string, at: Date, lateMs: number) => {
  const { rows } = await sql<{ training_id: string; was_away: boolean }>`
    with before as (select training_id, number, last_seen_at, left_at from training_seats where user_id = ${userId} for update)
    update training_seats s set last_seen_at = ${at}, left_at = null,
      online_ms = s.online_ms + case when b.left_at is null and b.last_seen_at > ${at}::timestamptz - ${lateMs} * interval '1 ms'
        then greatest(0, extract(epoch from ${at}::timestamptz - b.last_seen_at) * 1000)::bigint else 0 end
    from before b where s.training_id = b.training_id and s.number = b.number
    returning s.training_id, (b.left_at is not null or b.last_seen_at is null
      or b.last_seen_at < ${at}::timestamptz - ${lateMs} * interval '1 ms') as was_away`.execute(db)
  return rows[0]
}
export const leave = (db: Queryable, userId: string, at: Date) =>
  db
    .updateTable('training_seats')
    .set({ left_at: at })
    .where('user_id', '=', userId)
    .returning('training_id')
    .executeTakeFirst()

/**
 * The clusters that were created for the seats, with their states. The workshop must not deploy or destroy any other.
 */
export const ownClusters = (db: Queryable, trainingId: string) =>
  db
    .selectFrom('training_seats as s')
    .innerJoin('clusters as c', 'c.id', 's.cluster_id')
    .select(['s.number', 'c.id', 'c.name', 'c.cause'])
    .select(sql<ClusterState>`c.state`.as('state'))
    .where('s.training_id', '=', trainingId)
    .where('s.own_cluster', '=', true)
    .orderBy('s.number')
    .execute()
