import type { Stack } from '@flotilla/contract/stacks/entity'
import type { StackState } from '@flotilla/contract/stacks/states'
import type { Tone } from '../../ui/status/tone'

const stateLabels: Record<StackState, { label: string; tone: Tone }> = {
  none: { label: 'Not built', tone: 'gray' },
  building: { label: 'Building', tone: 'blue' },
  success: { label: 'Built', tone: 'green' },
  failed: { label: 'Failed', tone: 'red' },
  customize: { label: 'Ready to customize', tone: 'amber' },
}

/** The displayed state. A canceled build is not a failure, and an image may be older than the stack. */
export function stateOf({ state, canceled, edited }: Stack): { label: string; tone: Tone } {
  if (canceled) return { label: 'Canceled', tone: 'gray' }
  const { label, tone } = stateLabels[state]
  return { label: state === 'success' && edited ? 'Built, edited since' : label, tone }
}

export const roleLabels = { node: 'nodes', server: 'head nodes' } as const
