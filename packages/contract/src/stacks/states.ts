import * as z from 'zod/mini'
import { eitherText } from '../count-text'

const stackStates = ['none', 'building', 'success', 'failed', 'customize'] as const
export const StackState = z.enum(stackStates)
export type StackState = z.infer<typeof StackState>

/** What is allowed in which state: the server enforces it, and the web app disables buttons with the reason. */
const allowed = {
  edit: ['none', 'success', 'failed'],
  build: ['none', 'success', 'failed'],
  /** Ends the manual changes on the open machine. */
  finalize: ['customize'],
  cancel: ['building', 'customize'],
  remove: ['none', 'success', 'failed'],
} as const satisfies Record<string, readonly StackState[]>
export type StackAction = keyof typeof allowed
export const isStackActionAllowed = (action: StackAction, state: StackState): boolean =>
  (allowed[action] as readonly StackState[]).includes(state)

export const stackStateText: Record<StackState, string> = {
  none: 'not built',
  building: 'being built',
  success: 'built',
  failed: 'failed',
  customize: 'open for manual changes',
}
/** The reason, for the disabled button and for the server's error. */
export const stackBlockedReason = (action: StackAction, state: StackState): string =>
  action === 'cancel'
    ? 'Nothing is in progress'
    : `Not possible while the stack is ${stackStateText[state]}. It must be ${eitherText(allowed[action].map((one) => stackStateText[one]))}.`
