import { join } from 'node:path'
import { test as base, type BrowserContext, type Page } from '@playwright/test'
import { startClouds } from './clouds'
import { startServer, type Server } from './server'

const pictures = join(import.meta.dirname, '../../pictures')

/** Saves a screenshot of the test's page, or of another page, to pictures/<name>.png for review. */
export type Picture = (name: string, of?: Page) => Promise<void>

type Own = { picture: Picture; browserLog: void }

type Shared = {
  server: Server
  /** A site with simulated clouds and a credential for each. */
  clouds: Server
  admin: Server['admin']
}

/**
 * Each worker has its own servers, which its specs share, because starting a server takes longer than most tests. A
 * test creates its own users and names, and restores the settings that it changes. A spec that needs a fresh site, or
 * one with a different lifetime, starts it with `startServer`.
 */
// oxlint-disable no-empty-pattern -- Playwright parses the pattern to find the fixtures that a fixture needs
export const test = base.extend<Own, Shared>({
  server: [({}, provide) => during(startServer, provide), { scope: 'worker', timeout: 180_000 }],
  clouds: [({}, provide) => during(startClouds, provide), { scope: 'worker', timeout: 180_000 }],
  admin: [({ server }, provide) => provide(server.admin), { scope: 'worker' }],
  baseURL: ({ server }, provide) => provide(server.url),
  picture: ({ page }, provide) =>
    provide(async (name, of = page) => {
      if (process.env.CI) return // no one reviews them in CI
      // Sticky elements are drawn at the current scroll position.
      await of.evaluate(() => scrollTo(0, 0))
      await of.screenshot({ path: join(pictures, `${name}.png`), fullPage: true, animations: 'disabled' })
    }),
  browserLog: [
    async ({ browser }, provide, info) => {
      const lines: string[] = []
      const read = (context: BrowserContext) => readLog(context, lines)
      browser.on('context', read)
      await provide()
      browser.off('context', read)
      if (info.status !== info.expectedStatus && lines.length > 0)
        await info.attach('browser log', { body: lines.join('\n'), contentType: 'text/plain' })
    },
    { auto: true },
  ],
})

/** Collects the browser's error log, which is attached to a failed test. */
function readLog(context: BrowserContext, lines: string[]) {
  context.on('console', (message) => {
    if (message.type() === 'error') lines.push(message.text())
  })
  context.on('weberror', (error) => lines.push(error.error().stack ?? error.error().message))
  context.on('requestfailed', (request) =>
    lines.push(`${request.method()} ${new URL(request.url()).pathname}: ${request.failure()?.errorText}`),
  )
}

async function during(start: () => Promise<Server>, provide: (server: Server) => Promise<void>) {
  const server = await start()
  await provide(server)
  await server.stop()
}

/** The tag of tests that run only in `npm run soak`, so that `npm test` stays short. */
export const SOAK = '@soak'

export { expect } from '@playwright/test'
