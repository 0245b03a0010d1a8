import * as z from 'zod/mini'
import { Announcement } from './announcement'
import { Features, ProviderId } from './config'
import { get, put } from '../endpoint'

const themes = z.enum(['system', 'light', 'dark'])
const palettes = z.enum(['standard', 'safe'])
const times = z.enum(['relative', 'absolute'])
/** Whether the first-run card is shown. */
const firstRun = z.enum(['shown', 'hidden'])

/** A user's preferences, stored on the server so that they apply in every browser. */
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

/** Whether a user may use the console's own machine: `waiting` until an admin approves them. */
export const MachineAccess = z.enum(['allowed', 'waiting', 'refused'])
export type MachineAccess = z.infer<typeof MachineAccess>
/** The message for users who may not. */
export const machineBlocked = {
  waiting: 'An admin must approve your account before you can use this machine',
  refused: 'Self-registered users cannot use this machine. Ask an admin for access.',
} as const satisfies Record<Exclude<MachineAccess, 'allowed'>, string>

export const UiSettings = z.object({
  version: z.string(),
  /** The providers offered to this user. */
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

/** Separate from the settings that admins change, because every page needs these at once. */
export const ui = {
  settings: get('/api/ui/settings', {
    summary: 'Get the settings that the web app needs: version, features, preferences and announcement',
    access: 'loggedIn',
    reply: UiSettings,
  }),
  setPreferences: put('/api/ui/settings', {
    summary: 'Change your preferences. Omitted ones keep their value',
    access: 'member',
    // A schema that ignores unknown preferences would lose them silently.
    body: z.object({ preferences: PreferencesChange }),
    reply: UiSettings,
    failure: 'form',
  }),
}
