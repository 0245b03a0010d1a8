import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Locator, type Page } from '@playwright/test'
import type axe from 'axe-core'
import type { RunOptions } from 'axe-core'
import type { Picture } from './fixtures'

declare global {
  interface Window {
    axe: typeof axe
  }
}

export const DESK = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }

/**
 * In CI, axe checks each screen (a page, dialog or menu) once and in one theme, because its later states have the same
 * frame. Contrast is checked only on pages there: colors.test.ts proves the contrast of all colors in both themes.
 * Outside CI, and in `npm run soak`, every state is checked in both themes and sizes.
 */
const brief = process.env.CI !== undefined && process.env.FLOTILLA_SOAK === undefined
/** A folder that all workers of a run share. */
const seen = join(tmpdir(), `flotilla-e2e-seen-${process.ppid}`)

async function isFirstVisit(page: Page): Promise<boolean> {
  const { pathname, searchParams } = new URL(page.url())
  // All clusters share one page, and a form that creates one has the list's address.
  const kind = `${pathname.replaceAll(/\/[a-z\d]{12,}(?=\/|$)/g, '/:id')} ${searchParams.get('new') ?? ''}`
  const title = ((await page.locator(IN_FRONT).allInnerTexts()).at(-1) ?? '').slice(0, 40)
  mkdirSync(seen, { recursive: true })
  try {
    mkdirSync(join(seen, encodeURIComponent(`${kind} ${title}`)))
    return true
  } catch {
    return false
  }
}

/**
 * Checks the current screen with axe and takes screenshots for review. The page must follow the system's theme, as it
 * does for every user who has not chosen one.
 */
export async function inspect(
  page: Page,
  picture: Picture,
  name: string,
  sizes: readonly ('desk' | 'phone')[] = ['desk', 'phone'],
): Promise<void> {
  const due = !brief || (await isFirstVisit(page)) ? sizes : []
  for (const size of due) {
    await page.setViewportSize(size === 'desk' ? DESK : PHONE)
    const first = size === sizes[0]
    const isPage = (await page.locator(IN_FRONT).count()) === 0
    for (const colorScheme of brief ? (['light'] as const) : (['light', 'dark'] as const)) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
      // The page must not scroll sideways, even on a phone.
      const tooWide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      await expect.soft.poll(tooWide, `${name} ${size}`).toBeLessThanOrEqual(0)
      await waitUntilSettled(page)
      await picture(`${name}-${colorScheme}-${size}`, page)
      // Themes differ only in color, so the dark theme needs only the contrast check, and in only one size.
      if (first || (colorScheme === 'light' && !brief))
        await noViolations(
          page,
          `${name} ${colorScheme} ${size}`,
          rulesFor(colorScheme, first && (isPage || !brief)),
        )
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize(DESK)
}

/** Waits for loading states and color transitions to finish, so that no intermediate state is checked. */
async function waitUntilSettled(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy]:not(button)')).toHaveCount(0)
  await page.evaluate(async () => {
    const ending = () =>
      document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
    // Elements that inherit a color start their own transition when the first ones have ended.
    for (let some = ending(); some.length > 0; some = ending())
      await Promise.allSettled(some.map((one) => one.finished))
  })
}

/** The minified build has half the size of the package's default. */
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const CONTRAST = 'color-contrast'
const rulesFor = (colorScheme: 'light' | 'dark', contrast: boolean): RunOptions => {
  if (colorScheme === 'dark') return { runOnly: [CONTRAST] }
  return contrast ? {} : { rules: { [CONTRAST]: { enabled: false } } }
}

const IN_FRONT = '[role=dialog], dialog[open], [role=menu]'

/** Checks the dialog or menu in front, or else the whole page. */
async function noViolations(page: Page, where: string, options: RunOptions): Promise<void> {
  // Injected only once per page, because that takes longer than the check itself.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source)
  const violations = await page.evaluate(
    async ([given, inFront]) => {
      const front = [...document.querySelectorAll(inFront)].at(-1)
      // The rest of the result is large and not needed.
      return (await window.axe.run(front ?? document, given)).violations
    },
    [{ resultTypes: ['violations'], preload: false, ...options } satisfies RunOptions, IN_FRONT] as const,
  )
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })),
  )
  expect.soft(found, where).toEqual([])
}

/** Chooses a job in Quick Job Submit by typing its name. */
export async function chooseJob(dialog: Locator, name: string): Promise<void> {
  await dialog.getByRole('combobox', { name: 'Job' }).click()
  await dialog.getByRole('combobox', { name: 'Job' }).fill(name)
  await dialog.getByRole('option', { name }).first().click()
}
