import { sql, type RawBuilder, type Selectable } from 'kysely'
import { isAdminSql, owned, type Viewer } from './owned'
import type { ClusterRow } from './tables/clusters'

const { belongsTo } = owned('clusters')

/** Whether it is shared with the person's entry in a directory, or with a group that they were in when it was last looked at. */
export const sharedByDirectory = (userId: RawBuilder<unknown>) => sql<boolean>`exists (
  select from cluster_ldap_collaborators c join ldap_accounts a on a.server_id = c.server_id
  where c.cluster_id = clusters.id and a.user_id = (${userId}) and (c.dn_key = a.dn_key or c.dn_key = any(a.groups)))`

/** Whether someone who is no participant may use it. */
const visibleToOthers = (id: RawBuilder<unknown>) =>
  sql<boolean>`(clusters.for_everyone or ${belongsTo(id)} or ${sharedByDirectory(id)})`

/** Whether the person has a seat there, of a workshop that made the cluster or whose owner may still use it. */
const hasSeat = (userId: RawBuilder<unknown>) => sql<boolean>`exists (
  select from training_seats s join trainings t on t.id = s.training_id join users o on o.id = t.owner_id
  where s.cluster_id = clusters.id and s.user_id = (${userId})
    and (s.own_cluster or ${isAdminSql(sql`o.role`)} or ${visibleToOthers(sql`o.id`)}))`

/** A cluster for everyone is not one for participants. */
export const visible = (id: RawBuilder<unknown>, participant: RawBuilder<unknown>) =>
  sql<boolean>`((clusters.for_everyone and not ${participant}) or ${belongsTo(id)} or ${sharedByDirectory(id)}
    or ${hasSeat(id)})`

export const clustersVisibleTo = ({ id, admin, participant }: Viewer) =>
  admin ? sql<boolean>`true` : visible(sql`${id}`, sql`${participant}`)

/** A participant sees no one else's jobs in the queue of a cluster: only what they submitted, here or in their account there. */
export type JobOwner = { id: string; username: string }
/** As `isSameAccount` of the resource managers. */
export const isSameAccount = (one: RawBuilder<unknown>, other: RawBuilder<unknown>) => {
  const [a, b] = [sql`lower(${one})`, sql`lower(${other})`]
  return sql<boolean>`(${a} = ${b} or starts_with(${a}, ${b} || '@') or starts_with(${b}, ${a} || '@'))`
}
const jobUser = sql`cluster_queue.data->>'user'`
/** A name that may also mean another's account is only for the one whose it is to the letter. */
export const isJobOf = ({ id, username }: JobOwner) => sql<boolean>`(${jobUser} = ${username}
  or ${jobUser} = (select unix_account from users where id = ${id})
  or ((${isSameAccount(jobUser, sql`${username}::text`)}
      or ${isSameAccount(jobUser, sql`(select unix_account from users where id = ${id})`)})
    and not exists (select from users other where other.id <> ${id}
      and (${isSameAccount(jobUser, sql`other.username`)} or ${isSameAccount(jobUser, sql`other.unix_account`)})))
  or cluster_queue.data->>'submissionId' in (select id from submissions where user_id = ${id}))`

type Seen = Pick<
  Selectable<ClusterRow>,
  | 'id'
  | 'name'
  | 'state'
  | 'data'
  | 'sealed_given_key'
  | 'host_key'
  | 'paths_confirmed'
  | 'private_address_allowed'
>
/** What a statement of another module gets of a cluster that was looked up, to compare it with the current row. */
export const asSeen = (cluster: Seen, viewer: Viewer) => {
  const { id, name, state, data, sealed_given_key: key, host_key: hostKey } = cluster
  const { paths_confirmed: paths, private_address_allowed: address } = cluster
  return JSON.stringify({ id, name, state, data, key, hostKey, paths, address, viewer })
}
/** Whether the cluster is still as it was then, and still for this person to see. `seen` is what `asSeen` gives. */
export const isAsSeen = (seen: RawBuilder<unknown>): RawBuilder<boolean> => {
  const viewer = (name: string) => sql`${seen}->'viewer'->>${sql.lit(name)}`
  return sql`exists (select from clusters where clusters.id = ${seen}->>'id' and clusters.name = ${seen}->>'name'
    and clusters.state = ${seen}->>'state' and clusters.data = ${seen}->'data'
    and clusters.sealed_given_key is not distinct from ${seen}->>'key'
    and clusters.host_key is not distinct from ${seen}->>'hostKey'
    and clusters.paths_confirmed = (${seen}->>'paths')::boolean
    and clusters.private_address_allowed = (${seen}->>'address')::boolean
    and ((${viewer('admin')})::boolean or ${visible(viewer('id'), sql`(${viewer('participant')})::boolean`)}))`
}
