import type { ReactNode } from 'react'
import { Button } from '../ui/button/button'
import { Callout } from '../ui/feedback/callout'

interface Props {
  /** The action that will fail. */ action: 'Deploy' | 'Build'
  onSlurm: () => void
  children: ReactNode
}

/** Shown while Torque is selected, with an alternative. */
export const NoTorque = ({ action, onSlurm, children }: Props) => (
  <Callout tone="amber" title={`Torque cannot be installed, so ${action} will fail`}>
    <p>No public package repository provides it. {children}</p>
    <Button className="mt-2" onClick={onSlurm}>
      Use Slurm instead
    </Button>
  </Callout>
)
