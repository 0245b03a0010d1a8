import * as z from 'zod/mini'
import { ConfigChoices, RuntimeConfig } from './config'
import { del, get, put } from '../endpoint'
import { INTRO_MAX } from '../limits'
import { Time } from '../lists'
import { TorqueSetting, TorqueSource } from './torque-source'

const HourPrice = z.nullable(
  z.number('Enter a price').check(z.minimum(0, 'Enter a price'), z.maximum(10_000, 'Enter a price')),
)
/** What the user's own machines cost; null means no price, 0 means free. */
export const LocalPrices = z.object({ perCoreHour: HourPrice, perGpuHour: HourPrice })
export const SiteSettings = z.object({
  vncTokenAuthentication: z.boolean(),
  vncRemoteClient: z.boolean(),
  /** Whether running clusters are compared with the cloud once a day. */
  driftCheck: z.boolean(),
  localPrices: z.extend(LocalPrices, { setAt: z.nullable(Time) }),
})
export type SiteSettings = z.infer<typeof SiteSettings>

/** How users connect to remote desktops of new clusters by default, and the daily check for drift. */
export const ClusterSettings = z.strictObject({
  vncTokenAuthentication: z.boolean(),
  vncRemoteClient: z.boolean(),
  /** If omitted, it does not change. */
  driftCheck: z.optional(z.boolean()),
})
export type ClusterSettings = z.infer<typeof ClusterSettings>

/** The site's configuration, and which fields a file in DATA_DIR/assets sets. */
export const SiteConfig = z.object({
  values: RuntimeConfig,
  /** The text beside the login form, as HTML. */
  introHtml: z.string(),
  /** The fields that a file sets (`branding.name`), each with the file: they cannot be changed here. */
  setBy: z.record(z.string(), z.string()),
  problems: z.array(z.string()),
})
export type SiteConfig = z.infer<typeof SiteConfig>
export const SiteConfigChange = z.extend(ConfigChoices, {
  /** Null means the built-in text. */
  introHtml: z.optional(
    z.nullable(z.string().check(z.maxLength(INTRO_MAX, `Enter at most ${INTRO_MAX} characters`))),
  ),
})
export type SiteConfigChange = z.infer<typeof SiteConfigChange>

/** When self-registered users may use this machine. */
export const SelfRegisteredAccess = z.enum(['immediately', 'after-approval', 'never'])
export type SelfRegisteredAccess = z.infer<typeof SelfRegisteredAccess>

/** The security settings that an admin can change. */
export const SecurityChoices = z.object({
  /** Null depends on who can connect to the server: immediately if only this machine can, otherwise after approval. */
  selfRegisteredAccess: z.nullable(SelfRegisteredAccess),
  /** Whether jobs and terminals on this machine may connect to the console, its database and metadata addresses. */
  jobsReachConsole: z.boolean(),
  /** Whether non-admins may connect to head nodes at loopback and private addresses. */
  privateHeadNodes: z.boolean(),
})
export type SecurityChoices = z.infer<typeof SecurityChoices>
export const strictSecurity: SecurityChoices = {
  selfRegisteredAccess: null,
  jobsReachConsole: false,
  privateHeadNodes: false,
}
export const SecuritySettings = z.extend(SecurityChoices, {
  /** What null means for `selfRegisteredAccess` on this server. */
  selfRegisteredDefault: SelfRegisteredAccess,
})
export type SecuritySettings = z.infer<typeof SecuritySettings>

export const settings = {
  site: get('/api/settings/settings', {
    summary: 'Get the site settings',
    access: 'member',
    reply: SiteSettings,
  }),
  setLocalPrices: put('/api/settings/local_prices', {
    summary: 'Set the price per core-hour and GPU-hour of local clusters, in USD',
    access: 'admin',
    body: LocalPrices,
    reply: SiteSettings,
    failure: 'form',
  }),
  setCluster: put('/api/settings/cluster', {
    summary:
      'Set how people connect to remote desktops of new clusters, and whether running ones are checked for drift daily',
    access: 'admin',
    body: ClusterSettings,
    reply: SiteSettings,
    failure: 'form',
  }),
  config: get('/api/settings/config', {
    summary: 'Get the site configuration, and which fields a file sets',
    access: 'admin',
    reply: SiteConfig,
  }),
  setConfig: put('/api/settings/config', {
    summary:
      'Change the site configuration. Omitted fields keep their value; what a file sets cannot be changed',
    access: 'admin',
    tokens: 'never',
    confirm: 'when the public address of the site changes',
    body: SiteConfigChange,
    reply: SiteConfig,
    failure: 'form',
  }),
  setLogo: put('/api/settings/logo', {
    summary: 'Upload a logo: PNG, JPEG, WebP or SVG',
    access: 'admin',
    tokens: 'never',
    raw: true,
    reply: SiteConfig,
    failure: 'form',
  }),
  removeLogo: del('/api/settings/logo', {
    summary: 'Remove the uploaded logo',
    access: 'admin',
    tokens: 'never',
    reply: SiteConfig,
  }),
  security: get('/api/settings/security', {
    summary: 'Get the security settings',
    access: 'admin',
    reply: SecuritySettings,
  }),
  setSecurity: put('/api/settings/security', {
    summary: 'Change the security settings. Omitted settings keep their value',
    access: 'admin',
    tokens: 'never',
    body: z.strictObject(z.partial(SecurityChoices).shape),
    reply: SecuritySettings,
    failure: 'form',
  }),
  torqueSource: get('/api/settings/torque_source', {
    summary: 'Get the package repository for Torque',
    access: 'admin',
    reply: TorqueSetting,
  }),
  setTorqueSource: put('/api/settings/torque_source', {
    summary: 'Set the package repository for Torque',
    access: 'admin',
    body: TorqueSource,
    reply: TorqueSetting,
    failure: 'form',
  }),
  removeTorqueSource: del('/api/settings/torque_source', {
    summary: 'Remove the package repository for Torque. Stack images may still contain Torque',
    access: 'admin',
    reply: TorqueSetting,
  }),
}
