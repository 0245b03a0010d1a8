import type { Stack } from '@flotilla/contract/stacks/entity'
import type { StackState } from '@flotilla/contract/stacks/states'
import type { Tone } from '../../ui/tone'

const stateLabels: Record<StackState, { label: string; tone: Tone }> = {
  none: { label: 'Not built', tone: 'gray' },
  building: { label: 'Building', tone: 'blue' },
  success: { label: 'Built', tone: 'green' },
  failed: { label: 'Failed', tone: 'red' },
  customize: { label: 'Ready to customize', tone: 'amber' },
}

/** As people read it: a build that somebody ended is no failure, and an image may be older than what the stack says. */
export function stateOf({ state, canceled, edited }: Stack): { label: string; tone: Tone } {
  if (canceled) return { label: 'Canceled', tone: 'gray' }
  const { label, tone } = stateLabels[state]
  return { label: state === 'success' && edited ? 'Built, edited since' : label, tone }
}

export const roleLabels = { node: 'nodes', server: 'head nodes' } as const
