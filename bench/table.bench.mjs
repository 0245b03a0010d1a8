// @ts-check
/// <reference lib="dom" />
// The table component with 10,000 rows, in a production build of the gallery: how long drawing and filtering take.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, preview } from 'vite'
import { root } from '../scripts/running/child.mjs'
import { lastStroke, openPage, watchStrokes } from './support/browser.mjs'
import { median, print } from './support/server.mjs'

const ROUNDS = 9
const GOAL_MS = 50
const WORDS = ['genomics', 'n4711', '10.0.3', 'busy', 'render-farm']

const folder = mkdtempSync(join(tmpdir(), 'flotilla-bench-gallery-'))
const web = join(root, 'apps/web')
/** @type {import('vite').InlineConfig} */
const config = {
  root: web,
  logLevel: 'error',
  build: { outDir: folder, emptyOutDir: true, rolldownOptions: { input: join(web, 'gallery.html') } },
  preview: { host: '127.0.0.1', port: 0 },
}

/**
 * The time from the press of the button to the paint of the table.
 * @param {import('@playwright/test').Page} page
 * @returns {Promise<number>}
 */
const drawn = (page) =>
  page.getByRole('button', { name: 'Add nodes' }).evaluate(
    (/** @type {HTMLElement} */ button) =>
      new Promise((resolve) => {
        const begun = performance.now()
        button.click()
        // A task that a frame schedules runs after the frame is painted.
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)))
      }),
  )

/** @param {string} measure @param {number[]} values */
function limited(measure, values) {
  const value = median(values)
  print({
    measure: `${measure} (median of ${values.length})`,
    value: Math.round(value),
    unit: 'ms',
    beside: `worst ${Math.round(Math.max(...values))} ms`,
    goal: `<= ${GOAL_MS} ms`,
    ok: value <= GOAL_MS,
  })
}

await build(config)
const server = await preview(config)
const page = await openPage(server.resolvedUrls?.local[0] ?? '', '')
try {
  await page.goto('/gallery.html')
  const rows = page.getByRole('button', { name: / rows$/ })
  const draws = []
  for (let round = 0; round < ROUNDS; round++) {
    await rows.click()
    await rows.click()
    draws.push(await drawn(page))
  }
  limited('a table of 10,000 rows, from the press that makes the rows to its paint', draws)

  const filter = page.getByLabel('Filter Nodes', { exact: true })
  await filter.click()
  await watchStrokes(page)
  const strokes = []
  for (const word of WORDS) {
    await filter.fill('')
    for (const letter of word) {
      await page.keyboard.type(letter)
      await page.waitForTimeout(100)
      const { at, painted } = await lastStroke(page)
      strokes.push(painted - at)
    }
  }
  limited('a key in the filter of 10,000 rows, to the paint of the rows that match', strokes)
} finally {
  await page.close()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}
