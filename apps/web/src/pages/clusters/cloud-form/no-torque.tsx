import type { Provider } from '@flotilla/contract/providers'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import type { CloudValues } from './cloud-values'
import { useStacks } from './use-stacks'

interface Props {
  provider: Provider
  values: CloudValues
  onSlurm: () => void
}

/** Deploy would be refused: said while it is chosen, with the way out. */
export function NoTorque({ provider, values, onSlurm }: Props) {
  const stack = useStacks(provider.id).find(({ id }) => id === values.stack_id)
  const has = values.data.manager !== 'torque' || provider.torqueSource || stack?.data.manager === 'torque'
  if (has) return null
  return (
    <Callout tone="amber" title="Torque cannot be installed: Deploy will be refused">
      <p>
        It is in no public package source. Choose a stack whose image has it, or ask an admin to set a package
        source for it under Settings, Cloud.
      </p>
      <Button className="mt-2" onClick={onSlurm}>
        Use Slurm instead
      </Button>
    </Callout>
  )
}
