import type { BrowserContext, Page } from '@playwright/test'
import { expect } from './fixtures'

/** Starts an app on This machine from /apps, waits until it is ready, and opens it in a new tab. */
export async function openApp(
  page: Page,
  context: BrowserContext,
  name: string,
  environment?: string,
): Promise<Page> {
  await page.getByRole('button', { name: `Start ${name}` }).click()
  const dialog = page.getByRole('dialog', { name: `Start ${name}` })
  await dialog.getByText('This machine').click()
  if (environment !== undefined) await dialog.getByLabel('Python environment').fill(environment)
  await dialog.getByRole('button', { name: 'Start' }).click()
  const card = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem', { name })
  await expect(card.getByText('Ready')).toBeVisible({ timeout: 180_000 })
  const opened = context.waitForEvent('page')
  await card.getByRole('button', { name: `Open ${name}` }).click()
  return opened
}
