import { createHash } from 'node:crypto'
import path from 'node:path'
import type { EngineProgram } from '../engine'

/** The passphrase is a random key, so the minimum number of iterations that the engine accepts is sufficient. */
const rounds = { real: 200_000, simulated: 1_000 }

/** The setting with which the engine encrypts its state and plan itself. */
function encryption(passphrase: string, iterations: number): string {
  // The engine evaluates templates in this text, and a hexadecimal key contains none.
  const key = createHash('sha256').update(passphrase).digest('hex')
  const sealed = { method: 'method.aes_gcm.main', enforced: true }
  return JSON.stringify({
    key_provider: { pbkdf2: { main: { passphrase: key, key_length: 32, iterations } } },
    method: { aes_gcm: { main: { keys: '${key_provider.pbkdf2.main}' } } },
    state: sealed,
    plan: sealed,
  })
}

export interface EnvironmentOptions {
  folder: string
  program: EngineProgram
  pluginCache: string
  credentials: Record<string, string>
  passphrase: string
}

/** The whole environment of an engine: nothing of the server's own is passed on by accident. */
export function engineEnvironment(options: EnvironmentOptions): Record<string, string> {
  const { folder, program, pluginCache, credentials, passphrase } = options
  return {
    ...program.environment,
    HOME: path.join(folder, 'home'),
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    TF_PLUGIN_CACHE_DIR: pluginCache,
    // Workspaces stay on one machine, so their lock files do not need the hashes of other platforms.
    TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: '1',
    CHECKPOINT_DISABLE: '1',
    ...credentials,
    TF_ENCRYPTION: encryption(passphrase, program.simulated ? rounds.simulated : rounds.real),
  }
}

/** Locations, addresses and account names are not secret: a log without them is hard to read, and ids contain them. */
const harmless =
  /(REGION|ZONE|LOCATION|PROJECT|ENVIRONMENT|ENDPOINT|URL|VERSION|_OCID|FINGERPRINT|(SUBSCRIPTION|TENANT|CLIENT)_ID)$/i

export const secretsOf = (credentials: Record<string, string>): string[] =>
  Object.entries(credentials).flatMap(([name, value]) => (harmless.test(name) ? [] : [value]))
