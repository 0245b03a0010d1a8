import * as z from 'zod/mini'
import { EmailDomains } from '../email'
import { STRICT_IDLE_TIMER_S, UPDATE_INTERVAL_MS } from '../limits'
import { Announcement } from './announcement'

export const providerIds = ['oracle', 'aws', 'gcp', 'maas', 'azure'] as const
export const ProviderId = z.enum(providerIds)
export type ProviderId = z.infer<typeof ProviderId>
export const providerNames: Record<ProviderId, string> = {
  oracle: 'Oracle',
  aws: 'AWS',
  gcp: 'GCP',
  maas: 'ACM',
  azure: 'Azure',
}

/**
 * http, https, mailto or a path of this site: a `javascript:` link in a configuration file must not be rendered as a
 * link.
 */
const Link = z
  .string()
  .check(z.regex(/^(https?:\/\/|mailto:|\/(?!\/))/, 'must begin with http://, https://, mailto: or /'))
const Color = z.string().check(z.regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #1f6feb'))
const TEXT_MAX = 200
const LENGTH = `Enter 1 to ${TEXT_MAX} characters`
const Text = z.string(LENGTH).check(z.trim(), z.minLength(1, LENGTH), z.maxLength(TEXT_MAX, LENGTH))

const brandingFields = {
  name: Text,
  /**
   * An image for the navigation and the login page: a link, an uploaded image, or a file in DATA_DIR/assets as
   * `/assets/logo.svg`.
   */
  logo: z.nullable(Link),
  /** The accent color in the light and the dark theme; null means the default. */
  accent: z.nullable(Color),
  accentDark: z.nullable(Color),
  copyright: Text,
  contactLink: Link,
  /** At most one of the two is shown below the login form; the free trial takes precedence. */
  freeTrialLink: z.nullable(Link),
  quickStartLink: z.nullable(Link),
}
const featureFields = { workshops: z.boolean(), marketplace: z.boolean(), ldap: z.boolean() }

const ADDRESS = 'must be a URL such as https://hpc.example.org'
const IDLE_MAX_S = 7 * 24 * 3600
const IDLE = `must be a number of seconds from 0 to ${IDLE_MAX_S}`
const fields = {
  /** The address of this site for links in mails; null means the address the server listens on. */
  server: z.nullable(z.string().check(z.regex(/^https?:\/\/[^/\\\s?#@]+$/, ADDRESS))),
  register: z.boolean(),
  /** The email domains that may register: null allows everyone, an empty list no one. */
  allowedEmailDomains: z.nullable(EmailDomains),
  /** Seconds without activity before a session ends; 0 turns it off. */
  idleTimer: z.number(IDLE).check(z.int(IDLE), z.minimum(0, IDLE), z.maximum(IDLE_MAX_S, IDLE)),
  updateInterval: z.number().check(z.int(), z.minimum(1000), z.maximum(600_000)),
  /** The providers offered to users without a list of their own. */
  providers: z.array(ProviderId),
  trainingMenuTitle: Text,
}

export const Branding = z.object({
  name: z._default(brandingFields.name, 'HPC On-Demand Data Center'),
  logo: z._default(brandingFields.logo, null),
  accent: z._default(brandingFields.accent, null),
  accentDark: z._default(brandingFields.accentDark, null),
  copyright: z._default(brandingFields.copyright, 'HPC On-Demand Data Center'),
  contactLink: z._default(brandingFields.contactLink, 'mailto:support@localhost'),
  freeTrialLink: z._default(brandingFields.freeTrialLink, null),
  quickStartLink: z._default(brandingFields.quickStartLink, null),
})
export type Branding = z.infer<typeof Branding>

export const Features = z.object({
  workshops: z._default(featureFields.workshops, true),
  marketplace: z._default(featureFields.marketplace, true),
  ldap: z._default(featureFields.ldap, true),
})

/**
 * What an operator may set in DATA_DIR/assets/config.json. Omitted fields are set in Settings or have their defaults.
 */
export const RuntimeConfig = z.object({
  server: z._default(fields.server, null),
  register: z._default(fields.register, true),
  allowedEmailDomains: z._default(fields.allowedEmailDomains, null),
  idleTimer: z._default(fields.idleTimer, 0),
  updateInterval: z._default(fields.updateInterval, UPDATE_INTERVAL_MS),
  providers: z._default(fields.providers, [...providerIds]),
  trainingMenuTitle: z._default(fields.trainingMenuTitle, 'Workshop'),
  /** Shown on every page, such as `Staging` or `Demo data`; null hides it. */
  siteLabel: z._default(z.nullable(z.string().check(z.minLength(1), z.maxLength(24))), null),
  /** The file in DATA_DIR/assets that the left side of the login page shows. */
  intro: z._default(
    z.string().check(z.regex(/^[\w-][\w.-]*\.html$/, 'must be a file name such as intro.html')),
    'intro.html',
  ),
  branding: z.prefault(Branding, {}),
  features: z.prefault(Features, {}),
})
export type RuntimeConfig = z.infer<typeof RuntimeConfig>

/**
 * What an admin may set in Settings, in the format of config.json. Fields that the file sets cannot be changed here.
 */
export const ConfigChoices = z.strictObject({
  ...z.partial(z.object(fields)).shape,
  // The logo is uploaded, not typed.
  branding: z.optional(z.strictObject(z.partial(z.omit(z.object(brandingFields), { logo: true })).shape)),
  features: z.optional(z.strictObject(z.partial(z.object(featureFields)).shape)),
})
export type ConfigChoices = z.infer<typeof ConfigChoices>
/** The stored choices, which include the address of the uploaded logo. */
export const StoredChoices = z.extend(ConfigChoices, {
  branding: z.optional(z.partial(z.object(brandingFields))),
})
export type StoredChoices = z.infer<typeof StoredChoices>

/**
 * The security settings with the strictest value of each, which applies while the file has no valid value and no
 * earlier one is known. `server` is among them because password recovery links lead there.
 */
export const strictestConfig = {
  server: null,
  register: false,
  idleTimer: STRICT_IDLE_TIMER_S,
  providers: [],
  allowedEmailDomains: [],
  features: { workshops: false, marketplace: false, ldap: false },
} satisfies Partial<RuntimeConfig>

/**
 * The configuration that the web app receives: the operator's values, the socket's actual port, and any problems with
 * the files.
 */
export const ServedConfig = z.extend(RuntimeConfig, {
  version: z.string(),
  server: z.string(),
  websocketPort: z.number(),
  simulated: z.boolean(),
  problems: z.array(z.string()),
  /** For guests; logged-in users are notified of a new one at once. */
  announcement: z.nullable(Announcement),
})
export type ServedConfig = z.infer<typeof ServedConfig>
