import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import type { ImageTerms } from '@flotilla/contract/clusters/terms'
import { useApiMutation } from '../../../../api/query'
import { TermsNotice } from '../../../../clouds/images/terms-notice'
import { useAdminScope } from '../../use-admin-scope'

/** The license terms of the images that a cluster's machines boot from. */
export function ClusterTerms({ cluster, terms }: { cluster: CloudCluster; terms: readonly ImageTerms[] }) {
  const accept = useApiMutation(lifecycle.acceptTerms, {
    admin: useAdminScope(cluster),
    success: 'Terms accepted',
    invalidates: [lifecycle.plan],
  })
  const onAccept = () => accept.mutate({ body: { id: cluster.id } })
  return (
    <TermsNotice
      terms={terms}
      before="deploying"
      onAccept={cluster.mine ? onAccept : null}
      busy={accept.isPending}
    />
  )
}
