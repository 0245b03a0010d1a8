import type { Provider } from '@flotilla/contract/clouds/providers'
import { NoTorque } from '../../../../clouds/no-torque'
import type { CloudValues } from '../values/cloud-values'
import { useStacks } from '../use-stacks'

/** Whether Deploy would fail because nothing provides Torque. */
export function useLacksTorque(provider: Provider, { data, stack_id }: CloudValues): boolean {
  const stack = useStacks(provider.id).find(({ id }) => id === stack_id)
  return data.manager === 'torque' && !provider.torqueSource && stack?.data.manager !== 'torque'
}

export const NoTorqueInCluster = ({ onSlurm }: { onSlurm: () => void }) => (
  <NoTorque action="Deploy" onSlurm={onSlurm}>
    Choose a stack whose image includes it, or ask an admin to set a package source for it in Settings, Cloud.
  </NoTorque>
)
