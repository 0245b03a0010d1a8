import { clusters } from '@flotilla/contract/clusters/clusters'
import type { CloudCluster } from '@flotilla/contract/clusters/entity'
import { useApiMutation } from '../../../api/query'
import { paths, useGo } from '../../../paths'
import { useDeploy } from '../cloud-dialogs/use-deploy'
import { inputOf } from './values/cloud-values'
import type { CloudValues } from './values/cloud-values'

/** The action that follows saving. */
export type Intent = 'save' | 'plan' | 'deploy'

/** Saves, then plans or deploys, and opens the cluster. Rejects with the server's validation errors. */
export function useSave(cluster: CloudCluster | null, admin: boolean) {
  const go = useGo()
  const invalidates = [clusters.list, clusters.view, clusters.logs, clusters.activities]
  const create = useApiMutation(clusters.create, { invalidates })
  const update = useApiMutation(clusters.update, { admin, invalidates })
  const deploy = useDeploy({ admin, lead: 'The cluster was saved, but nothing else was done' })
  return async (values: CloudValues, intent: Intent, leave: () => void): Promise<void> => {
    const input = inputOf(values)
    const deletedPkgs = cluster?.data.packages.filter((name) => !values.data.packages.includes(name)) ?? []
    const saved = cluster
      ? await update.mutateAsync({ body: { ...input, id: cluster.id }, beside: { deletedPkgs: deletedPkgs } })
      : await create.mutateAsync({ body: input })
    const then = { id: saved.id, ...(intent === 'plan' && { onlyplan: true }) }
    // A failure here opens the ERROR dialog; the cluster is saved anyway.
    const started = intent === 'save' || (await deploy.mutateAsync({ body: then }).then(isDone, isNot))
    leave()
    go(paths.cluster(saved.id, intent === 'plan' && started ? 'plan' : undefined))
  }
}
const isDone = () => true
const isNot = () => false
