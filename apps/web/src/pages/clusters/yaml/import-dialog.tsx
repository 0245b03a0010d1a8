import { YamlImportDialog } from '../../../forms/yaml/yaml-import-dialog'
import { readYaml, type ClusterFile } from './cluster-yaml'

interface Props {
  onRead: (values: ClusterFile) => void
  onClose: () => void
}

/** Imports a cluster. */
export default function ImportDialog(props: Props) {
  return (
    <YamlImportDialog
      noun="cluster"
      title="Import a cluster"
      example={'name: Aurora\nprovider: aws (or azure, gcp, oracle, maas, local)\ncredential_id: …'}
      parse={readYaml}
      {...props}
    />
  )
}
