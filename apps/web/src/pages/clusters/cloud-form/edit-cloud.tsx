import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { CloudOff } from 'lucide-react'
import { paths } from '../../../paths'
import { Async } from '../../../ui/feedback/async'
import { Callout } from '../../../ui/feedback/callout'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { ButtonLink } from '../../../ui/button/link'
import { SkeletonText } from '../../../ui/feedback/skeleton'
import { useProviders } from '../../../clouds/use-provider'
import { providerName } from '../provider-mark'
import CloudForm from './cloud-form'
import { inTheirFields, valuesOf } from './values/cloud-values'

/** Edits a cloud cluster. All steps are on one page, because a user who edits knows what to look for. */
export default function EditCloud({ cluster, admin }: { cluster: CloudCluster; admin: boolean }) {
  const offered = useProviders()
  const deployed = cluster.machines.length > 0
  return (
    <Async data={offered} skeleton={<SkeletonText lines={8} />}>
      {(list) => {
        const provider = list.find(({ id }) => id === cluster.provider)
        if (!provider)
          return (
            <EmptyState
              icon={CloudOff}
              title={`${providerName(cluster.provider)} is not available to you`}
              action={<ButtonLink to={paths.cluster(cluster.id)}>Back to the cluster</ButtonLink>}
            >
              Ask an admin to add it to your providers.
            </EmptyState>
          )
        return (
          <CloudForm
            cluster={cluster}
            admin={admin}
            provider={provider}
            start={inTheirFields(provider, valuesOf(cluster))}
            note={
              deployed && (
                <Callout tone="gray" title="This cluster is deployed">
                  Changes to the name, description and collaborators take effect when you save. Everything
                  else takes effect when you apply it.
                </Callout>
              )
            }
          />
        )
      }}
    </Async>
  )
}
