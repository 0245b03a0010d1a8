import { isIP } from 'node:net'
import path from 'node:path'
import * as z from 'zod/mini'
import {
  DEFAULT_HOST,
  DEFAULT_PORT,
  REQUESTS_PER_SECOND,
  REQUESTS_PER_SECOND_MIN,
} from '@flotilla/contract/limits'
import { NewPassword } from '@flotilla/contract/people/account-fields'

const port = z
  .pipe(z.string().check(z.regex(/^\d{1,5}$/, 'must be a port number')), z.transform(Number))
  .check(z.minimum(1, 'must be between 1 and 65535'), z.maximum(65535, 'must be between 1 and 65535'))
const file = z.pipe(
  z.string(),
  z.transform((name) => path.resolve(name)),
)
const url = (protocols: string[]) =>
  z
    .string()
    .check(
      z.refine(
        (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol),
        `must be a URL beginning with ${protocols.join('// or ')}//`,
      ),
    )

const isProxy = (text: string): boolean => {
  const [address = '', bits] = text.split('/')
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  return (
    isIP(address) > 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIP(address) === 4 ? 32 : 128)))
  )
}

const Environment = z.object({
  HOST: z._default(z.string(), DEFAULT_HOST),
  PORT: z.prefault(port, String(DEFAULT_PORT)),
  WEBSOCKET_PORT: z.optional(port),
  DATA_DIR: z.prefault(file, './data'),
  DATABASE_URL: z.optional(url(['postgres:', 'postgresql:'])),
  ADMIN_PASSWORD: z.optional(NewPassword),
  MASTER_KEY_FILE: z.optional(file),
  SMTP_URL: z.optional(url(['smtp:', 'smtps:'])),
  BACKUP_PASSPHRASE: z.optional(z.string()),
  TOFU_BIN: z.optional(file),
  PACKER_BIN: z.optional(file),
  LICENSE_FILE: z.optional(file),
  LICENSE_PUBLIC_KEY_FILE: z.optional(file),
  APPS_DOMAIN: z.prefault(
    z.pipe(
      z
        .string()
        .check(
          z.regex(
            /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9-]+$/i,
            'must be a domain name such as apps.example.org',
          ),
        ),
      z.transform((name) => name.toLowerCase()),
    ),
    'localhost',
  ),
  CLOUD: z._default(z.enum(['real', 'simulated'], 'must be real or simulated'), 'real'),
  RATE_LIMIT: z.prefault(
    z
      .pipe(
        z.string().check(z.regex(/^\d{1,7}$/, 'must be a number of requests per second')),
        z.transform(Number),
      )
      .check(z.minimum(REQUESTS_PER_SECOND_MIN, `must be at least ${REQUESTS_PER_SECOND_MIN}`)),
    String(REQUESTS_PER_SECOND),
  ),
  TRUST_PROXY: z.optional(
    z
      .string()
      .check(
        z.refine(
          (list) => list.split(',').every((one) => isProxy(one.trim())),
          'must be addresses such as 10.0.0.0/8, or loopback, linklocal, uniquelocal, separated by commas',
        ),
      ),
  ),
  LOG_LEVEL: z.optional(
    z.enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent'),
  ),
  NODE_ENV: z.optional(z.string()),
})

export type ServerConfig = {
  host: string
  port: number
  websocketPort: number | undefined
  dataDir: string
  databaseUrl: string | undefined
  adminPassword: string | undefined
  masterKeyFile: string
  smtpUrl: string | undefined
  /** The passphrase that backups are encrypted with; without it they are not encrypted. */
  backupPassphrase: string | undefined
  /** The path of OpenTofu's executable; if undefined, it is looked up on the PATH. */
  tofuBin: string | undefined
  /** The path of Packer's executable; if undefined, it is looked up on the PATH. */
  packerBin: string | undefined
  licenseFile: string | undefined
  licensePublicKeyFile: string | undefined
  /** The domain in which each app session has its own host name. */
  appsDomain: string
  simulated: boolean
  /** The number of requests per second allowed from one address. */
  rateLimit: number
  /** Addresses of the proxies that are trusted to report the caller's address. */
  trustProxy: string | false
  logLevel: string
  /** Whether replies are validated against the contract, as they are in tests and development. */
  validateReplies: boolean
}

export class EnvironmentError extends Error {}

/** Parses the environment. The error names every invalid variable without its value, as some values are secrets. */
export function parseEnvironment(env: NodeJS.ProcessEnv): ServerConfig {
  // An empty variable counts as unset, as in `PORT= npm start`.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`)
    throw new EnvironmentError(`The environment is invalid:\n${[...new Set(lines)].join('\n')}`)
  }
  const e = parsed.data
  return {
    host: e.HOST,
    port: e.PORT,
    websocketPort: e.WEBSOCKET_PORT,
    dataDir: e.DATA_DIR,
    databaseUrl: e.DATABASE_URL,
    adminPassword: e.ADMIN_PASSWORD,
    masterKeyFile: e.MASTER_KEY_FILE ?? path.join(e.DATA_DIR, 'master.key'),
    smtpUrl: e.SMTP_URL,
    backupPassphrase: e.BACKUP_PASSPHRASE,
    tofuBin: e.TOFU_BIN,
    packerBin: e.PACKER_BIN,
    licenseFile: e.LICENSE_FILE,
    licensePublicKeyFile: e.LICENSE_PUBLIC_KEY_FILE,
    appsDomain: e.APPS_DOMAIN,
    simulated: e.CLOUD === 'simulated',
    rateLimit: e.RATE_LIMIT,
    trustProxy: e.TRUST_PROXY ?? false,
    // On a terminal only problems are of interest; a log collector wants everything.
    logLevel: e.LOG_LEVEL ?? (process.stdout.isTTY ? 'warn' : 'info'),
    validateReplies: e.NODE_ENV !== 'production',
  }
}
