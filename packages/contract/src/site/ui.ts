import * as z from 'zod/mini'
import { Announcement } from './announcement'
import { Features, ProviderId } from './config'
import { get, put } from '../endpoint'

const themes = z.enum(['system', 'light', 'dark'])
const palettes = z.enum(['standard', 'safe'])
const times = z.enum(['relative', 'absolute'])
/** Whether the card with the first things to try is shown. */
const firstRun = z.enum(['shown', 'hidden'])

/** What a person chose for themselves; kept on the server so that it follows them. */
export const Preferences = z.object({
  theme: z._default(themes, 'system'),
  palette: z._default(palettes, 'standard'),
  times: z._default(times, 'relative'),
  firstRun: z._default(firstRun, 'shown'),
})
export type Preferences = z.infer<typeof Preferences>
export type Appearance = Pick<Preferences, 'theme' | 'palette' | 'times'>
const PreferencesChange = z.strictObject({
  theme: z.optional(themes),
  palette: z.optional(palettes),
  times: z.optional(times),
  firstRun: z.optional(firstRun),
})
export type PreferencesChange = z.infer<typeof PreferencesChange>

/** Whether a person may use the console's own machine: a waiting one may as soon as an admin approves them. */
export const MachineAccess = z.enum(['allowed', 'waiting', 'refused'])
export type MachineAccess = z.infer<typeof MachineAccess>
/** The message for users who may not. */
export const machineBlocked = {
  waiting: 'An admin must approve your account before you can use this machine',
  refused: 'Self-registered users cannot use this machine. Ask an admin for access.',
} as const satisfies Record<Exclude<MachineAccess, 'allowed'>, string>

export const UiSettings = z.object({
  version: z.string(),
  /** The providers this person is offered. */
  providers: z.array(ProviderId),
  /** Whether the workshop menu item is shown. */
  trainingsAllowed: z.boolean(),
  features: Features,
  preferences: Preferences,
  machineAccess: MachineAccess,
  /** How many users are waiting for approval; for admins only. */
  waitingForApproval: z.number(),
  announcement: z.nullable(Announcement),
})
export type UiSettings = z.infer<typeof UiSettings>

/** Apart from what admins set: every page needs this much at once. */
export const ui = {
  settings: get('/api/ui/settings', {
    summary: 'Get the settings that the web app needs: version, features, preferences and announcement',
    access: 'loggedIn',
    reply: UiSettings,
  }),
  setPreferences: put('/api/ui/settings', {
    summary: 'Change your preferences. Omitted ones keep their value',
    access: 'member',
    // An unknown preference would be lost silently.
    body: z.object({ preferences: PreferencesChange }),
    reply: UiSettings,
    failure: 'form',
  }),
}
