import type { TorqueSource } from './input'

/** Torque is in no system's own packages: it is in the image, or comes from a source that the admin set. */
export const torqueBlockedReason = (cluster: {
  manager: 'slurm' | 'torque' | 'none'
  /** Whether the cluster starts from an image of a stack that was built with Torque. */
  imageHasTorque: boolean
  torqueSource: TorqueSource | null
}): string | null =>
  cluster.manager !== 'torque' || cluster.imageHasTorque || cluster.torqueSource
    ? null
    : 'Torque is not in any public package repository. Choose a stack whose image has it, ask an admin to configure a repository in the settings, or use Slurm.'
