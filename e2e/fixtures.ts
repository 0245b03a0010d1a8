import { join } from 'node:path'
import { test as base, type Page } from '@playwright/test'
import { startServer, type Server } from './server'

const pictures = join(import.meta.dirname, '../pictures')

/** Keeps a picture of the test's page, or of another, for people to look at, in pictures/<name>.png. */
export type Picture = (name: string, of?: Page) => Promise<void>

type Own = { picture: Picture }

type Shared = {
  /** What the server of this worker starts with; a spec changes it with `test.use({ serverEnv: {...} })`. */
  serverEnv: Record<string, string>
  server: Server
  admin: Server['admin']
}

/**
 * Each worker has a server of its own. A spec that needs a second one, or one with another life, starts it
 * itself with `startServer`.
 */
export const test = base.extend<Own, Shared>({
  serverEnv: [{}, { option: true, scope: 'worker' }],
  server: [
    async ({ serverEnv }, provide) => {
      const server = await startServer({ env: serverEnv })
      await provide(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  admin: [({ server }, provide) => provide(server.admin), { scope: 'worker' }],
  baseURL: ({ server }, provide) => provide(server.url),
  picture: ({ page }, provide) =>
    provide(async (name, of = page) => {
      if (process.env.CI) return // nobody looks there
      // What sticks to the window is drawn where the window is.
      await of.evaluate(() => scrollTo(0, 0))
      await of.screenshot({ path: join(pictures, `${name}.png`), fullPage: true, animations: 'disabled' })
    }),
})

export { expect } from '@playwright/test'
