// @ts-check
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuilt } from '../build.mjs'
import { fail, root } from './child.mjs'
import { setup } from './setup.mjs'

const servesWebApp = ['main', 'cli/demo']

/**
 * Installs missing packages, builds what has changed, and then runs an entry point of the server's build in this same
 * process, so that Ctrl+C and a service manager's signals reach it directly.
 * @param {'main' | 'cli/demo' | 'cli/doctor' | 'cli/license' | 'cli/backup' | 'cli/restore' | 'cli/rotate-key' | 'cli/audit'} entry
 */
export async function launch(entry) {
  try {
    await setup()
    await ensureBuilt(servesWebApp.includes(entry) ? ['web', 'server'] : ['server'])
  } catch (error) {
    fail(error)
  }
  process.env.NODE_ENV ??= 'production'
  await import(pathToFileURL(join(root, `apps/server/dist/${entry}.js`)).href)
}
