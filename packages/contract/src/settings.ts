import * as z from 'zod/mini'
import { Features, ProviderId } from './config'
import { del, get, put } from './endpoint'
import { Time } from './lists'
import { TorqueSetting, TorqueSource } from './torque-source'

/** What a person chose for themselves; kept on the server so that it follows them. */
export const Preferences = z.object({
  theme: z._default(z.enum(['system', 'light', 'dark']), 'system'),
  palette: z._default(z.enum(['standard', 'safe']), 'standard'),
  times: z._default(z.enum(['relative', 'absolute']), 'relative'),
})
export type Preferences = z.infer<typeof Preferences>

export const UiSettings = z.object({
  version: z.string(),
  /** The providers this person is offered. */
  providers: z.array(ProviderId),
  /** Whether the workshop menu item is shown. */
  trainingsAllowed: z.boolean(),
  features: Features,
  preferences: Preferences,
})
export type UiSettings = z.infer<typeof UiSettings>

const HourPrice = z.nullable(
  z.number('Enter a price').check(z.minimum(0, 'Enter a price'), z.maximum(10_000, 'Enter a price')),
)
/** What machines of one's own cost; null is no price, 0 is free. */
export const LocalPrices = z.object({ perCoreHour: HourPrice, perGpuHour: HourPrice })
export const SiteSettings = z.object({
  vncTokenAuthentication: z.boolean(),
  vncRemoteClient: z.boolean(),
  localPrices: z.extend(LocalPrices, { setAt: z.nullable(Time) }),
})
export type SiteSettings = z.infer<typeof SiteSettings>

export const settings = {
  ui: get('/api/ui/settings', {
    summary: 'What the web shows this person',
    access: 'loggedIn',
    reply: UiSettings,
  }),
  setPreferences: put('/api/ui/settings', {
    summary: "Change one's own preferences",
    access: 'member',
    // A preference that we do not know would be lost without a word.
    body: z.object({ preferences: z.strictObject(Preferences.shape) }),
    reply: UiSettings,
    failure: 'form',
  }),
  site: get('/api/settings/settings', {
    summary: 'Settings of the whole site',
    access: 'member',
    reply: SiteSettings,
  }),
  setLocalPrices: put('/api/settings/local_prices', {
    summary: 'What a core and a GPU of local clusters cost an hour, in USD',
    access: 'admin',
    body: LocalPrices,
    reply: SiteSettings,
    failure: 'form',
  }),
  torqueSource: get('/api/settings/torque_source', {
    summary: 'Where machines install Torque from',
    access: 'admin',
    reply: TorqueSetting,
  }),
  setTorqueSource: put('/api/settings/torque_source', {
    summary: 'Set where machines install Torque from',
    access: 'admin',
    body: TorqueSource,
    reply: TorqueSetting,
    failure: 'form',
  }),
  removeTorqueSource: del('/api/settings/torque_source', {
    summary: 'Install Torque from no source; images of stacks may still have it',
    access: 'admin',
    reply: TorqueSetting,
  }),
}
