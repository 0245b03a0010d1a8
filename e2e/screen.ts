import { expect, type Page } from '@playwright/test'
import axe, { type RunOptions } from 'axe-core'
import type { Picture } from './fixtures'

declare global {
  interface Window {
    axe: typeof axe
  }
}

const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

/**
 * In CI a page is looked at in every way once. What opens on it later, or changes on it, has the same frame and the same
 * colors: one look in light is enough. By hand everything is looked at, and pictures are taken.
 */
const brief = process.env.CI !== undefined
const seen = new Set<string>()
function isFirstLook(page: Page): boolean {
  // Two clusters have the same page.
  const kind = new URL(page.url()).pathname.replaceAll(/\/[a-z\d]{12,}(?=\/|$)/g, '/:id')
  return seen.size < seen.add(kind).size
}

/**
 * One screen as it is now, in both themes: without a failure of axe, and pictures of it for people to look at. The
 * page must follow the system's theme, as it does for everyone who chose none.
 */
export async function inspect(
  page: Page,
  picture: Picture,
  name: string,
  sizes: readonly ('desk' | 'phone')[] = ['desk', 'phone'],
): Promise<void> {
  const thorough = isFirstLook(page) || !brief
  for (const size of sizes) {
    await page.setViewportSize(size === 'desk' ? DESK : PHONE)
    const first = size === sizes[0]
    // Themes differ in color only, and sizes in everything else.
    const themes = thorough && (first || !brief) ? (['light', 'dark'] as const) : (['light'] as const)
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
      // Nothing may be so wide that a phone has to scroll sideways.
      const tooWide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      await expect.soft.poll(tooWide, `${name} ${size}`).toBeLessThanOrEqual(0)
      await settled(page)
      await picture(`${name}-${colorScheme}-${size}`, page)
      if (first || (thorough && colorScheme === 'light'))
        await noViolations(page, `${name} ${colorScheme} ${size}`, rulesFor(colorScheme, first))
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize(DESK)
}

/** What is still being read is dimmed, and colors change over a moment: neither is what people then look at. */
async function settled(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy]:not(button)')).toHaveCount(0)
  await page.evaluate(async () => {
    const ending = () =>
      document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
    // What inherits a color begins to change when that has ended.
    for (let some = ending(); some.length > 0; some = ending())
      await Promise.allSettled(some.map((one) => one.finished))
  })
}

const CONTRAST = 'color-contrast'
const rulesFor = (colorScheme: 'light' | 'dark', first: boolean): RunOptions => {
  if (colorScheme === 'dark') return { runOnly: [CONTRAST] }
  return first ? {} : { rules: { [CONTRAST]: { enabled: false } } }
}

async function noViolations(page: Page, where: string, options: RunOptions): Promise<void> {
  // Into the page once: that takes longer than the look itself.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate((given) => window.axe.run(document, given), {
    resultTypes: ['violations'],
    ...options,
  } satisfies RunOptions)
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })),
  )
  expect.soft(found, where).toEqual([])
}
