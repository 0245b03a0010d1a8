import { sql, type RawBuilder } from 'kysely'
import type { Queryable } from '../../db/database'
import { visibleTo, type Viewer } from '../../db/visible'

type Wanted = { text: string; words: string[]; limit: number }
type Row = { id: string; name: string; detail: string; clusterId?: string }
export type Finder = (db: Queryable, viewer: Viewer, wanted: Wanted) => Promise<Row[]>

/** Escapes the wildcards in what a user types. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** Matches texts that contain every word, in any order. */
const matches = (text: RawBuilder<unknown>, { words }: Wanted) =>
  sql<boolean>`${text} ilike all (${words.map((word) => `%${literal(word)}%`)}::text[])`

/** Names that start with the input come first, then the shortest, which is the most similar. */
const bestFirst = (name: RawBuilder<unknown>, { text }: Wanted) =>
  sql`(${name} ilike ${`${literal(text)}%`}) desc, length(${name}), ${name}`

/** The owner is left out if it is the viewer. */
const ownerUnless = ({ id }: Viewer) =>
  sql<string>`case when owner.id = ${id} then '' else owner.username end`

/** Finds jobs by name, or by the number from the resource manager. */
export const jobs: Finder = async (db, viewer, wanted) =>
  (
    await sql<Row>`
      select jobs.id, jobs.name, ${ownerUnless(viewer)} as detail
      from jobs join users owner on owner.id = jobs.owner_id
      where ${visibleTo('jobs', viewer)}
        and (${matches(sql`jobs.name`, wanted)} or exists (
          select from submissions where submissions.job_id = jobs.id and submissions.native_id = ${wanted.text}))
      order by ${bestFirst(sql`jobs.name`, wanted)} limit ${wanted.limit}`.execute(db)
  ).rows

export const clusters: Finder = async (db, viewer, wanted) =>
  (
    await sql<Row>`
      select clusters.id, clusters.name, clusters.state as detail from clusters
      where ${visibleTo('clusters', viewer)} and ${matches(sql`clusters.name`, wanted)}
      order by ${bestFirst(sql`clusters.name`, wanted)} limit ${wanted.limit}`.execute(db)
  ).rows

export const nodes: Finder = async (db, viewer, wanted) =>
  (
    await sql<Row>`
      select node.name as id, node.name, clusters.name as detail, clusters.id as "clusterId"
      from cluster_nodes node join clusters on clusters.id = node.cluster_id
      where ${visibleTo('clusters', viewer)} and ${matches(sql`node.name`, wanted)}
      order by ${bestFirst(sql`node.name`, wanted)}, clusters.name limit ${wanted.limit}`.execute(db)
  ).rows

/** Finds things by their names alone. */
export const named =
  (table: 'stacks' | 'trainings' | 'courses' | 'credentials'): Finder =>
  async (db, viewer, wanted) => {
    const name = sql.ref(`${table}.name`)
    const { rows } = await sql<Row>`
      select ${sql.ref(`${table}.id`)} as id, ${name} as name, ${ownerUnless(viewer)} as detail
      from ${sql.table(table)} join users owner on owner.id = ${sql.ref(`${table}.owner_id`)}
      where ${visibleTo(table, viewer)} and ${matches(name, wanted)}
      order by ${bestFirst(name, wanted)} limit ${wanted.limit}`.execute(db)
    return rows
  }

/** Finds users by name, username or email; for admins only. */
export const people: Finder = async (db, _viewer, wanted) =>
  (
    await sql<Row>`
      select username as id, coalesce(nullif(trim(first_name || ' ' || last_name), ''), username) as name, username as detail
      from users
      where ${matches(sql`concat_ws(' ', first_name, last_name, username, email)`, wanted)}
      order by ${bestFirst(sql`username`, wanted)} limit ${wanted.limit}`.execute(db)
  ).rows
