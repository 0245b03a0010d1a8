import type { ReactNode } from 'react'
import { Button } from '../ui/button'
import { Callout } from '../ui/callout'

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
