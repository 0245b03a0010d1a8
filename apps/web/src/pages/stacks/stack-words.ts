import type { Stack } from '@flotilla/contract/stacks-entity'
import type { StackState } from '@flotilla/contract/stacks-states'
import type { Tone } from '../../ui/tone'

export const stateWords: Record<StackState, { word: string; tone: Tone }> = {
  none: { word: 'Not built', tone: 'grey' },
  building: { word: 'Building', tone: 'blue' },
  success: { word: 'Built', tone: 'green' },
  failed: { word: 'Failed', tone: 'red' },
  customize: { word: 'Open for changes', tone: 'amber' },
}

/** A built image is not what the stack says any more. */
export const stateWord = ({ state, edited }: Stack): string =>
  state === 'success' && edited ? 'Built, edited since' : stateWords[state].word

export const roleWords = { node: 'nodes', server: 'head nodes' } as const
