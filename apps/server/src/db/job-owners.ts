import { sql, type RawBuilder } from 'kysely'

/**
 * A participant sees only their own jobs in a cluster's queue: those submitted here or in their account on the
 * cluster.
 */
export type JobOwner = { id: string; username: string }
/** The SQL form of `isSameAccount` of the resource managers. */
export const isSameAccount = (one: RawBuilder<unknown>, other: RawBuilder<unknown>) => {
  const [a, b] = [sql`lower(${one})`, sql`lower(${other})`]
  return sql<boolean>`(${a} = ${b} or starts_with(${a}, ${b} || '@') or starts_with(${b}, ${a} || '@'))`
}
const jobUser = sql`cluster_queue.data->>'user'`
/** A name that may also mean another user's account matches only the user who has exactly this name. */
export const isJobOf = ({ id, username }: JobOwner) => sql<boolean>`(${jobUser} = ${username}
  or ${jobUser} = (select unix_account from users where id = ${id})
  or ((${isSameAccount(jobUser, sql`${username}::text`)}
      or ${isSameAccount(jobUser, sql`(select unix_account from users where id = ${id})`)})
    and not exists (select from users other where other.id <> ${id}
      and (${isSameAccount(jobUser, sql`other.username`)} or ${isSameAccount(jobUser, sql`other.unix_account`)})))
  or cluster_queue.data->>'submissionId' in (select id from submissions where user_id = ${id}))`
