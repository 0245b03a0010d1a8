// @ts-check
// npm run pictures: takes the README's screenshots from the demo, which must be running (npm run demo).
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { fail, root, say } from './running/child.mjs'
import { parts } from './parts/parts.mjs'

const url = process.argv[2] ?? 'http://127.0.0.1:12345'
const folder = join(root, 'docs/pictures')
/** The password of all users of the demo. */
const PASSWORD = 'Demo!2026'
const SIZE = { width: 1360, height: 850 }
const SETTLED_MS = 1500

/** @typedef {import('@playwright/test').Page} Page */

/** @param {Page} page @param {string} name */
async function take(page, name) {
  await page.waitForTimeout(SETTLED_MS)
  const loading = page.locator('[aria-busy]:not(button)')
  await loading.first().waitFor({ state: 'detached' })
  await page.screenshot({ path: join(folder, `${name}.png`) })
  say(`  docs/pictures/${name}.png`)
}

/** @param {Page} page @param {string} path @param {string} link */
async function follow(page, path, link) {
  await page.goto(url + path)
  await page.getByRole('link', { name: link, exact: true }).first().click()
}

/** High enough for the load charts. */
const TALL = 1180

/** The pictures, with how to get to each page. @type {[string, (page: Page) => Promise<unknown>, number?][]} */
const pictures = [
  ['dashboard', (page) => page.goto(`${url}/dashboard`), TALL],
  ['clusters', (page) => page.goto(`${url}/clusters`)],
  ['cluster', (page) => follow(page, '/clusters', 'Aurora')],
  ['job', (page) => follow(page, '/jobs', 'Variant calling')],
  ['workshop', (page) => follow(page, '/trainings', 'Introduction to batch computing')],
  ['accounting', (page) => page.goto(`${url}/account?range=30d`)],
]

async function main() {
  mkdirSync(folder, { recursive: true })
  const executablePath = parts.find(({ name }) => name === 'chromium')?.find()
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light', reducedMotion: 'reduce' })
    await page.goto(`${url}/login`)
    await page.getByLabel('Username').fill('grace')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.waitForURL((at) => !at.pathname.startsWith('/login'))
    for (const [name, open, height = SIZE.height] of pictures) {
      await page.setViewportSize({ ...SIZE, height })
      await open(page)
      await take(page, name)
    }
  } finally {
    await browser.close()
  }
}

main().catch(fail)
