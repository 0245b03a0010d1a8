import * as z from 'zod/mini'
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

/** http, https, mailto or a path of this site: a `javascript:` link in a configuration file must not become one in the page. */
const Link = z
  .string()
  .check(z.regex(/^(https?:\/\/|mailto:|\/(?!\/))/, 'must begin with http://, https://, mailto: or /'))
const Color = z.string().check(z.regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #1f6feb'))
const text = (value: string) => z._default(z.string().check(z.minLength(1), z.maxLength(200)), value)
const link = z._default(z.nullable(Link), null)

export const Branding = z.object({
  name: text('HPC On-Demand Data Center'),
  /** A picture for the navigation and the login page: a link, or a file in DATA_DIR/assets as `/assets/logo.svg`. */
  logo: link,
  /** The accent in the light and in the dark theme; null keeps our own. */
  accent: z._default(z.nullable(Color), null),
  accentDark: z._default(z.nullable(Color), null),
  copyright: text('HPC On-Demand Data Center'),
  contactLink: z._default(Link, 'mailto:support@localhost'),
  /** At most one of the two is shown below the login form; the free trial wins. */
  freeTrialLink: link,
  quickStartLink: link,
})

export const Features = z.object({
  workshops: z._default(z.boolean(), true),
  marketplace: z._default(z.boolean(), true),
  ldap: z._default(z.boolean(), true),
})

/** What an operator may put into DATA_DIR/assets/config.json; every field has its default. */
export const RuntimeConfig = z.object({
  /** The address people use for this site, for links in mails; null means the address the server listens on. */
  server: z._default(
    z.nullable(
      z.string().check(z.regex(/^https?:\/\/[^/\\\s?#@]+$/, 'must be a URL such as https://hpc.example.org')),
    ),
    null,
  ),
  register: z._default(z.boolean(), true),
  /** Seconds without activity before a session ends; 0 turns it off. */
  idleTimer: z._default(z.number().check(z.int(), z.minimum(0), z.maximum(7 * 24 * 3600)), 0),
  updateInterval: z._default(
    z.number().check(z.int(), z.minimum(1000), z.maximum(600_000)),
    UPDATE_INTERVAL_MS,
  ),
  /** The providers offered to people who have no list of their own. */
  providers: z._default(z.array(ProviderId), [...providerIds]),
  trainingMenuTitle: text('Workshop'),
  /** Shown on every page, such as `Staging` or `Demo data`; null shows none. */
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
 * The settings that concern security, with the strictest value of each. It is in force while the file holds no valid value
 * and no earlier one is known. `server` is among them because password recovery links lead there.
 */
export const strictestConfig = {
  server: null,
  register: false,
  idleTimer: STRICT_IDLE_TIMER_S,
  providers: [],
  features: { workshops: false, marketplace: false, ldap: false },
} satisfies Partial<RuntimeConfig>

/** What the web gets: the operator's values, the socket's real port, and what was wrong with the files. */
export const ServedConfig = z.extend(RuntimeConfig, {
  version: z.string(),
  server: z.string(),
  websocketPort: z.number(),
  simulated: z.boolean(),
  problems: z.array(z.string()),
  /** For guests; others are told of a new one as soon as it is posted. */
  announcement: z.nullable(Announcement),
})
export type ServedConfig = z.infer<typeof ServedConfig>
