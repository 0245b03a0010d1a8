import { api } from '@flotilla/contract/api'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminToken, call } from './people'
import type { Server } from './server'

const command = join(import.meta.dirname, '../../apps/server/dist/cli/license.js')

/**
 * Creates a key pair with the product's own command. Returns the environment that points to the key and the license
 * file, and `install`, which writes the license file.
 */
export async function makeLicense(): Promise<{
  env: Record<string, string>
  install: (terms: { type: string; from?: string; until?: string }) => Promise<void>
}> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-license-'))
  const run = (...args: string[]) => execFileSync(process.execPath, [command, ...args], { cwd: folder })
  run('keys')
  const file = join(folder, 'license.json')
  return {
    env: { LICENSE_FILE: file, LICENSE_PUBLIC_KEY_FILE: join(folder, 'license.pub') },
    install: async ({ type, from = '2020-01-01', until = '2099-12-31' }) => {
      run(
        'sign',
        '--to',
        'Example University',
        '--type',
        type,
        '--from',
        from,
        '--until',
        until,
        '--out',
        'new',
      )
      // The file is replaced atomically, because the server may read it at any time.
      await rename(join(folder, 'new'), file)
    },
  }
}

/** Uploads a license to a server that has none. */
export async function uploadLicense(server: Server, type: string): Promise<void> {
  const { env, install } = await makeLicense()
  await install({ type })
  const [license, publicKey] = await Promise.all(
    [env.LICENSE_FILE, env.LICENSE_PUBLIC_KEY_FILE].map((file = '') => readFile(file, 'utf8')),
  )
  const body = { license: license ?? '', publicKey: publicKey ?? '' }
  await call(server, api.license.upload, { body }, await adminToken(server))
}

export const removeLicense = async (server: Server) =>
  call(server, api.license.remove, {}, await adminToken(server))
