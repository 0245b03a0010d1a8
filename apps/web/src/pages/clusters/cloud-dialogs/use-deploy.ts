import { clusters } from '@flotilla/contract/clusters/clusters'
import { call } from '../../../api/call'
import { useApiMutation } from '../../../api/query'
import { offerSlurm } from '../../../clouds/offer-slurm'
import { inputOf, valuesOf } from '../cloud-form/values/cloud-values'

const invalidates = [clusters.list, clusters.view, clusters.logs, clusters.activities]

/** Plans or deploys. If Torque is unavailable, the error offers Slurm. */
export function useDeploy({ admin, success, lead }: { admin: boolean; success?: string; lead?: string }) {
  const update = useApiMutation(clusters.update, {
    admin,
    invalidates,
    success: 'The cluster now uses Slurm. Nothing is deployed yet.',
  })
  const toSlurm = async (id: string) => {
    const cluster = await call(clusters.view, { id }, { admin })
    if (cluster.provider === 'local') return
    const { data, ...input } = valuesOf(cluster)
    const changed = inputOf({ ...input, data: { ...data, manager: 'slurm' } })
    update.mutate({ body: { ...changed, id } })
  }
  return useApiMutation(clusters.deploy, {
    admin,
    invalidates,
    ...(success !== undefined && { success }),
    ...(lead !== undefined && { lead }),
    offer: offerSlurm(toSlurm),
  })
}
