import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import type { Picture } from './fixtures'

const DESK = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

/**
 * One screen as it is now, in both themes: without a failure of axe, and pictures of it for people to look at. The
 * page must follow the system's theme, as it does for everybody who chose none.
 */
export async function inspect(
  page: Page,
  picture: Picture,
  name: string,
  sizes: readonly ('desk' | 'phone')[] = ['desk', 'phone'],
): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const size of sizes) {
      await page.setViewportSize(size === 'desk' ? DESK : PHONE)
      // Nothing may be so wide that a phone has to scroll sideways.
      const tooWide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      await expect.soft.poll(tooWide, `${name} ${size}`).toBeLessThanOrEqual(0)
      await picture(`${name}-${colorScheme}-${size}`)
      // The themes differ in colour only, so the phone needs one look.
      if (size === 'desk' || colorScheme === 'light' || sizes.length === 1)
        await noViolations(page, `${name} ${colorScheme} ${size}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize(DESK)
}

async function noViolations(page: Page, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })),
  )
  expect.soft(found, where).toEqual([])
}
