import { join } from 'node:path'
import { test as base, type Page } from '@playwright/test'
import { startServer, type Server } from './server'

const pictures = join(import.meta.dirname, '../pictures')

/** Saves a screenshot of the test's page, or of another, to pictures/<name>.png for people to review. */
export type Picture = (name: string, of?: Page) => Promise<void>

type Own = { picture: Picture }

type Shared = {
  /** The environment of this worker's server; a spec changes it with `test.use({ serverEnv: {...} })`. */
  serverEnv: Record<string, string>
  server: Server
  admin: Server['admin']
}

/**
 * Each worker has its own server. A spec that needs a second one, or one with a different lifetime, starts it
 * with `startServer`.
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
      if (process.env.CI) return // no one looks at them there
      // Sticky elements are drawn at the current scroll position.
      await of.evaluate(() => scrollTo(0, 0))
      await of.screenshot({ path: join(pictures, `${name}.png`), fullPage: true, animations: 'disabled' })
    }),
})

/** A variant of a journey that takes its turn in `npm run soak`, so that `npm test` stays short. */
export const SOAK = '@soak'

export { expect } from '@playwright/test'
