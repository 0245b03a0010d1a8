import { packagesOf } from '@flotilla/contract/clusters/preselected'
import { packagesOfSource } from '@flotilla/contract/site/torque-source'
import type { TorqueSource } from './input'

/** No system's own repositories have Torque: it is in the image, or comes from a source that an admin set. */
export function torqueBlockedReason(machines: {
  manager: 'slurm' | 'torque' | 'none'
  /** Whether the machines start from a stack's image that was built with Torque. */
  imageHasTorque: boolean
  torqueSource: TorqueSource | null
  osType: string
}): string | null {
  const { manager, imageHasTorque, torqueSource, osType } = machines
  if (manager !== 'torque' || imageHasTorque) return null
  if (!torqueSource)
    return 'Torque is not in any public package repository. Choose a stack whose image has it, ask an admin to configure a repository in the settings, or use Slurm.'
  return packagesOfSource(torqueSource.file) === packagesOf(osType)
    ? null
    : `The site’s Torque packages are not for ${osType}. Choose ${packagesOf(osType) === 'rpm' ? 'Ubuntu or Debian' : 'Rocky Linux'}, a stack whose image has Torque, or Slurm.`
}
