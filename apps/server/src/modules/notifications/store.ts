import type { JobMail } from '@flotilla/contract/site/notifications'
import { sql } from 'kysely'
import type { Queryable, Transaction } from '../../db/database'

export const choice = (db: Queryable, userId: string) =>
  db
    .selectFrom('users')
    .leftJoin('job_mail_choices as choice', 'choice.user_id', 'users.id')
    .select(['users.email', 'users.verified'])
    .select(sql<JobMail>`coalesce(choice.wanted, 'never')`.as('jobs'))
    .where('users.id', '=', userId)
    .executeTakeFirst()

export async function choose(tx: Transaction, userId: string, wanted: JobMail, since: Date): Promise<void> {
  if (wanted === 'never') await tx.deleteFrom('job_mail_choices').where('user_id', '=', userId).execute()
  else
    await tx
      .insertInto('job_mail_choices')
      .values({ user_id: userId, wanted, since })
      .onConflict((row) => row.column('user_id').doUpdateSet({ wanted, since }))
      .execute()
}

export type EndedJob = {
  id: string
  job_id: string
  job_name: string
  cluster_name: string
  state: string
  reason: string | null
}
/** After a long downtime, jobs are reported in several emails. */
const AT_ONCE = 5000

/** Submissions that ended since then, to report to their submitters, without jobs started by apps. */
export const unreported = async (tx: Transaction, from: Date, now: Date) =>
  (
    await sql<EndedJob & { user_id: string; username: string; email: string }>`
      select s.id, s.job_id, s.job_name, s.cluster_name, s.state, s.reason, s.user_id, u.username, u.email
      from submissions s join job_mail_choices c on c.user_id = s.user_id join users u on u.id = s.user_id
      where s.ended_at > ${from} and s.ended_at > c.since and s.state <> 'canceled'
        and (c.wanted = 'always' or s.state <> 'completed')
        and u.verified and (u.end_time is null or u.end_time > ${now})
        and not exists (select from job_mails m where m.submission_id = s.id)
        and not exists (select from app_sessions a where a.job_id = s.job_id)
      order by s.ended_at desc, s.id limit ${AT_ONCE}`.execute(tx)
  ).rows

export const markReported = async (tx: Transaction, ids: string[]): Promise<void> => {
  if (ids.length === 0) return
  await sql`insert into job_mails (submission_id) select unnest(${ids}::text[]) on conflict do nothing`.execute(
    tx,
  )
}

/** Removes marks of jobs that are too old to be found again. */
export const forgetReported = async (tx: Transaction, before: Date): Promise<void> => {
  await sql`delete from job_mails m using submissions s where s.id = m.submission_id and s.ended_at <= ${before}`.execute(
    tx,
  )
}
