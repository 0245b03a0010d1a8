import type { CloudCluster } from '@flotilla/contract/clusters-entity'
import { saveFile } from '../../../api/download'
import { valuesOf } from '../cloud-form/cloud-values'
import { yamlOf } from './cluster-yaml'

/** Saves a cluster as a file that a new one can be made from. */
export function exportCluster(cluster: CloudCluster): void {
  const text = yamlOf(valuesOf(cluster), cluster.simulated)
  saveFile(new Blob([text], { type: 'application/yaml' }), `${cluster.name.replaceAll(' ', '-')}.yaml`)
}
