import { createHash } from 'node:crypto'
import path from 'node:path'
import type { EngineProgram } from '../engine'

/** The passphrase is a random key, so the least number of rounds that the engine takes is enough. */
const rounds = { real: 200_000, simulated: 1_000 }

/** State and plan are encrypted by the engine itself. */
function encryption(passphrase: string, iterations: number): string {
  // This text is a template, so nothing in it may look like one.
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

/** The whole environment of an engine: nothing of the server's own gets there by accident. */
export function engineEnvironment(options: EnvironmentOptions): Record<string, string> {
  const { folder, program, pluginCache, credentials, passphrase } = options
  return {
    ...program.environment,
    HOME: path.join(folder, 'home'),
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    TF_PLUGIN_CACHE_DIR: pluginCache,
    // Workspaces of one machine: the hashes of other platforms are not needed in their lock files.
    TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: '1',
    CHECKPOINT_DISABLE: '1',
    ...credentials,
    TF_ENCRYPTION: encryption(passphrase, program.simulated ? rounds.simulated : rounds.real),
  }
}

/** Places, addresses and names of accounts are not secret: a log without them is hard to read, and ids are made of them. */
const harmless =
  /(REGION|ZONE|LOCATION|PROJECT|ENVIRONMENT|ENDPOINT|URL|VERSION|_OCID|FINGERPRINT|(SUBSCRIPTION|TENANT|CLIENT)_ID)$/i

export const secretsOf = (credentials: Record<string, string>): string[] =>
  Object.entries(credentials).flatMap(([name, value]) => (harmless.test(name) ? [] : [value]))
