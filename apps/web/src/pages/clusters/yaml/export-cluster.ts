import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { call } from '../../../api/call'
import { saveFile } from '../../../api/download'
import { valuesOf } from '../cloud-form/values/cloud-values'
import { inputOf, valuesOf as valuesOfLocal } from '../form/cluster-values'
import { LocalFile, yamlOf } from './cluster-yaml'

const textOf = (cluster: Cluster): string =>
  cluster.provider === 'local'
    ? yamlOf(LocalFile.parse({ ...inputOf(valuesOfLocal(cluster)), provider: 'local' }))
    : yamlOf(valuesOf(cluster), cluster.simulated)

/** Saves a cluster's current state as a file from which a new one can be created. */
export async function exportCluster(id: string): Promise<void> {
  const cluster = await call(clusters.view, { id })
  const file = new Blob([textOf(cluster)], { type: 'application/yaml' })
  saveFile(file, `${cluster.name.replaceAll(' ', '-')}.yaml`)
}
