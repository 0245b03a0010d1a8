import type { Provider } from '@flotilla/contract/providers'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import type { CloudValues } from './cloud-values'
import { useStacks } from './use-stacks'

/** Whether Deploy would be refused because nothing brings Torque. */
export function useLacksTorque(provider: Provider, { data, stack_id }: CloudValues): boolean {
  const stack = useStacks(provider.id).find(({ id }) => id === stack_id)
  return data.manager === 'torque' && !provider.torqueSource && stack?.data.manager !== 'torque'
}

interface Props {
  /** What will be refused. */
  deed: 'Deploy' | 'Build'
  onSlurm: () => void
  children: ReactNode
}

/** Said while it is chosen, with the way out. */
export const NoTorque = ({ deed, onSlurm, children }: Props) => (
  <Callout tone="amber" title={`Torque cannot be installed: ${deed} will be refused`}>
    <p>It is in no public package source. {children}</p>
    <Button className="mt-2" onClick={onSlurm}>
      Use Slurm instead
    </Button>
  </Callout>
)

export const NoTorqueInCluster = ({ onSlurm }: Pick<Props, 'onSlurm'>) => (
  <NoTorque deed="Deploy" onSlurm={onSlurm}>
    Choose a stack whose image has it, or ask an admin to set a package source for it under Settings, Cloud.
  </NoTorque>
)
