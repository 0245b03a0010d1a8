import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { ClusterRow } from './tables/clusters'
import { viewerInJson, visibleToSql, type Viewer } from './visible'

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
/** A cluster as it was looked up, for a statement of another module to compare with the current row. */
export const asSeen = (cluster: Seen, viewer: Viewer) => {
  const { id, name, state, data, sealed_given_key: key, host_key: hostKey } = cluster
  const { paths_confirmed: paths, private_address_allowed: address } = cluster
  return JSON.stringify({ id, name, state, data, key, hostKey, paths, address, viewer })
}
/** Whether the cluster is unchanged since then and still visible to this user. `seen` is the result of `asSeen`. */
export const isAsSeen = (seen: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select from clusters where clusters.id = ${seen}->>'id' and clusters.name = ${seen}->>'name'
    and clusters.state = ${seen}->>'state' and clusters.data = ${seen}->'data'
    and clusters.sealed_given_key is not distinct from ${seen}->>'key'
    and clusters.host_key is not distinct from ${seen}->>'hostKey'
    and clusters.paths_confirmed = (${seen}->>'paths')::boolean
    and clusters.private_address_allowed = (${seen}->>'address')::boolean
    and ${visibleToSql('clusters', viewerInJson(sql`${seen}->'viewer'`))})`
