import { sql, type RawBuilder } from 'kysely'
import { belongsToSql, isAdminSql, isParticipantSql, type OwnedTable } from './owned'

/** The user whose visible things are queried; an admin sees everyone's. A participant has no other role. */
export type Viewer = { id: string; admin: boolean; participant: boolean }
type ViewerSql = Record<keyof Viewer, RawBuilder<unknown>>

/** A viewer in the JSON of a statement's parameter. */
export const viewerInJson = (json: RawBuilder<unknown>): ViewerSql => ({
  id: sql`${json}->>'id'`,
  admin: sql`(${json}->>'admin')::boolean`,
  participant: sql`(${json}->>'participant')::boolean`,
})

/** The user in a row of `users`, by the name that a statement has for that table. */
export const viewerInRow = (users: string): ViewerSql => ({
  id: sql.ref(`${users}.id`),
  admin: isAdminSql(sql.ref(`${users}.role`)),
  participant: isParticipantSql(sql.ref(`${users}.role`)),
})

const ofOwnerOrCollaborator =
  (table: OwnedTable) =>
  ({ id }: ViewerSql) =>
    belongsToSql(table, id)

const hasSeatIn = (userId: RawBuilder<unknown>) => sql<boolean>`exists (
  select from training_seats s where s.training_id = trainings.id and s.user_id = (${userId}))`

/** Whether the user has a seat on the cluster, in a workshop that created it or whose owner may still use it. */
const hasSeatOn = (userId: RawBuilder<unknown>) => sql<boolean>`exists (
  select from training_seats s join trainings t on t.id = s.training_id join users o on o.id = t.owner_id
  where s.cluster_id = clusters.id and s.user_id = (${userId})
    and (s.own_cluster or ${isAdminSql(sql`o.role`)} or clusters.for_everyone
      or ${belongsToSql('clusters', sql`o.id`)}))`

/** What users who are not admins see. Apps are left out: roles decide about them, and most are in no table. */
const rules: Record<Exclude<OwnedTable, 'apps'>, (viewer: ViewerSql) => RawBuilder<boolean>> = {
  // A cluster for everyone is not open to participants.
  clusters: ({ id, participant }) => sql`((clusters.for_everyone and not ${participant})
    or ${belongsToSql('clusters', id)} or ${hasSeatOn(id)})`,
  // A participant cannot use credentials, whatever was shared with them.
  credentials: ({ id, participant }) => sql`(not ${participant} and ${belongsToSql('credentials', id)})`,
  trainings: ({ id }) => sql`(${belongsToSql('trainings', id)} or ${hasSeatIn(id)})`,
  stacks: ofOwnerOrCollaborator('stacks'),
  courses: ofOwnerOrCollaborator('courses'),
  jobs: ofOwnerOrCollaborator('jobs'),
  app_sessions: ofOwnerOrCollaborator('app_sessions'),
}
type VisibleTable = keyof typeof rules

/** Whether a viewer may see the rows of a table: the only rule, for pages, lists and the search. */
export const visibleTo = (table: VisibleTable, { id, admin, participant }: Viewer): RawBuilder<boolean> =>
  // For admins the condition is constant, so that nothing is looked up.
  admin ? sql`true` : rules[table]({ id: sql`${id}`, admin: sql`false`, participant: sql`${participant}` })

/** The same rule for a viewer that the statement finds. */
export const visibleToSql = (table: VisibleTable, viewer: ViewerSql): RawBuilder<boolean> =>
  sql`(${viewer.admin} or ${rules[table](viewer)})`

/**
 * Admins manage everything, others what belongs to them: a cluster that everyone may use is not everyone's to manage.
 */
export const managedBy = (table: 'clusters' | 'stacks', { id, admin }: Viewer): RawBuilder<boolean> =>
  admin ? sql`true` : belongsToSql(table, sql`${id}`)
