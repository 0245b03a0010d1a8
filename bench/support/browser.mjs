// @ts-check
/// <reference lib="dom" />
// A real Chromium that is already logged in, and measurements of when it has painted something.
import { chromium } from '@playwright/test'

/** @param {string} url @param {string} token */
export async function openPage(url, token) {
  const browser = await chromium.launch({
    ...(process.env.CHROMIUM && { executablePath: process.env.CHROMIUM }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  })
  const page = await browser.newPage({ baseURL: url, viewport: { width: 1280, height: 800 } })
  await page.goto('/favicon.svg')
  await page.evaluate((value) => localStorage.setItem('flotilla.token', value), token)
  return Object.assign(page, { close: () => browser.close() })
}

/**
 * When the first row of a table that contains all these texts was painted, in milliseconds since 1970.
 * @param {import('@playwright/test').Page} page
 * @param {string} table
 * @param {string[]} texts
 * @returns {Promise<number>}
 */
export const paintOf = (page, table, texts) =>
  page.evaluate(
    ([label, ...wanted]) =>
      new Promise((resolve, reject) => {
        setTimeout(
          () => reject(new Error(`No row of ${label} with ${wanted.join(' and ')} was seen`)),
          60_000,
        )
        const isThere = () =>
          [...document.querySelectorAll(`[aria-label="${label}"] tr`)].some((row) =>
            wanted.every((text) => row.textContent?.includes(text)),
          )
        const observer = new MutationObserver(() => check())
        const check = () => {
          if (!isThere()) return false
          observer.disconnect()
          // A task that a frame schedules runs after the frame is painted.
          requestAnimationFrame(() => setTimeout(() => resolve(Date.now())))
          return true
        }
        if (!check()) observer.observe(document, { childList: true, subtree: true, characterData: true })
      }),
    [table, ...texts],
  )

/**
 * Records the time of each input to a text field and of the paint that follows.
 * @param {import('@playwright/test').Page} page
 */
export const watchStrokes = (page) =>
  page.evaluate(() => {
    /** @type {{ at: number, painted: number }[]} */
    const strokes = []
    Reflect.set(window, 'strokes', strokes)
    document.addEventListener(
      'input',
      (event) => {
        const at = performance.timeOrigin + event.timeStamp
        requestAnimationFrame(() => setTimeout(() => strokes.push({ at, painted: Date.now() })))
      },
      { capture: true },
    )
  })

/** @param {import('@playwright/test').Page} page @returns {Promise<{ at: number, painted: number }>} */
export const lastStroke = (page) => page.evaluate(() => Reflect.get(window, 'strokes').at(-1))
