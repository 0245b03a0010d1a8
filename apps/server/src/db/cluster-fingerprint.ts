import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { ClusterRow } from './tables/clusters'
import { viewerInJson, visibleToSql, type Viewer } from './visible'

type FingerprintedCluster = Pick<
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
/** What a statement of another module compares with the current row of a cluster that was looked up before. */
export const fingerprintOf = (cluster: FingerprintedCluster, viewer: Viewer) => {
  const { id, name, state, data, sealed_given_key: key, host_key: hostKey } = cluster
  const { paths_confirmed: paths, private_address_allowed: address } = cluster
  return JSON.stringify({ id, name, state, data, key, hostKey, paths, address, viewer })
}
/** Whether the cluster is unchanged since then and still visible to this user. `fingerprint` is the result of `fingerprintOf`. */
export const matchesFingerprint = (fingerprint: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select from clusters where clusters.id = ${fingerprint}->>'id' and clusters.name = ${fingerprint}->>'name'
    and clusters.state = ${fingerprint}->>'state' and clusters.data = ${fingerprint}->'data'
    and clusters.sealed_given_key is not distinct from ${fingerprint}->>'key'
    and clusters.host_key is not distinct from ${fingerprint}->>'hostKey'
    and clusters.paths_confirmed = (${fingerprint}->>'paths')::boolean
    and clusters.private_address_allowed = (${fingerprint}->>'address')::boolean
    and ${visibleToSql('clusters', viewerInJson(sql`${fingerprint}->'viewer'`))})`
