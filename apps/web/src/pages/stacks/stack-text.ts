import type { Stack } from '@flotilla/contract/stacks/entity'
import type { StackState } from '@flotilla/contract/stacks/states'
import type { Tone } from '../../ui/tone'

const stateWords: Record<StackState, { word: string; tone: Tone }> = {
  none: { word: 'Not built', tone: 'gray' },
  building: { word: 'Building', tone: 'blue' },
  success: { word: 'Built', tone: 'green' },
  failed: { word: 'Failed', tone: 'red' },
  customize: { word: 'Ready to customize', tone: 'amber' },
}

/** As people read it: a build that somebody ended is no failure, and an image may be older than what the stack says. */
export function stateOf({ state, canceled, edited }: Stack): { word: string; tone: Tone } {
  if (canceled) return { word: 'Canceled', tone: 'gray' }
  const { word, tone } = stateWords[state]
  return { word: state === 'success' && edited ? 'Built, edited since' : word, tone }
}

export const roleWords = { node: 'nodes', server: 'head nodes' } as const
