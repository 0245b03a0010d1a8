import { packagesOf } from '@flotilla/contract/clusters/preselected'
import type { Provider } from '@flotilla/contract/clouds/providers'
import { NoTorque } from '../../../../clouds/no-torque'
import type { CloudValues } from '../values/cloud-values'
import { useStacks } from '../use-stacks'

/** Whether Deploy would fail because neither the site's packages nor the stack provide Torque for the system. */
export function useLacksTorque(provider: Provider, { data, info, stack_id }: CloudValues): boolean {
  const stack = useStacks(provider.id).find(({ id }) => id === stack_id)
  const installable = provider.torquePackages === packagesOf(info['os-type'])
  return data.manager === 'torque' && !installable && stack?.data.manager !== 'torque'
}

export const NoTorqueInCluster = ({ onSlurm }: { onSlurm: () => void }) => (
  <NoTorque action="Deploy" onSlurm={onSlurm}>
    Choose a stack whose image includes it, or ask an admin to set a package source for it under Settings &gt;
    Cloud.
  </NoTorque>
)
