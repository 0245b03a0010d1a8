import { takesAccelerator } from '@flotilla/contract/clusters/impossible/machines'
import { gcpFacts } from './gcp/facts'

interface Attached {
  accelerator_type: string
  accelerator_count: number
}

/**
 * How many accelerators a machine of this size gets: those of the nodes only go to groups that support them. Only
 * Google Cloud attaches accelerators; if the type is unknown, the cloud decides.
 */
export function attachedTo({ accelerator_type, accelerator_count }: Attached, instanceId: string): number {
  if (accelerator_type === '') return 0
  const isKnown = gcpFacts.accelerators.some(({ id }) => id === accelerator_type)
  if (isKnown && !takesAccelerator(gcpFacts, accelerator_type, instanceId)) return 0
  return accelerator_count || 1
}
