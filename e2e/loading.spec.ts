import type { Page } from '@playwright/test'
import { expect, test } from './support/fixtures'
import { open } from './support/people'
import { inspect } from './support/screen'

/** Blocks all requests to the server until the returned function is called. */
async function cutOff(page: Page): Promise<() => Promise<void>> {
  await page.route('**/*', (route) => route.abort('connectionrefused'))
  return () => page.unroute('**/*')
}

test('a page opened while the server does not respond appears once it does', async ({ page, server }) => {
  await open(page, server, server.admin, '/jobs')
  const link = page.getByRole('link', { name: 'Courses' })
  await expect(link).toBeVisible()
  const restore = await cutOff(page)
  await link.click()
  await page.getByRole('button', { name: 'Quick job' }).click()
  await expect(page.getByText('The server is not responding')).toBeVisible()
  await restore()
  await expect(page.getByRole('dialog', { name: 'Quick job' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('heading', { name: 'Courses', level: 1 })).toBeVisible()
})

test('a login without a response from the server shows an error on the page', async ({ page, admin }) => {
  await page.goto('/login')
  const loaded = page.waitForResponse('**/static/login-failure-*.js')
  await page.getByLabel('Username').fill(admin.username)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  // Resolves once the module and its imports are loaded. As text, because the test runner would rewrite a function.
  await page.evaluate(`import('${(await loaded).url()}').then(() => undefined)`)
  await cutOff(page)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText(/NETWORK/i)
})

test('a page that no longer exists after an update asks for a reload', async ({ page, server, picture }) => {
  await open(page, server, server.admin, '/jobs')
  await page.route('**/static/courses-*.js', (route) => route.fulfill({ status: 404 }))
  await page.getByRole('link', { name: 'Courses' }).click()
  await expect(page.getByText('A bug or an update of the console made this page fail')).toBeVisible()
  await inspect(page, picture, 'page-failed')
  await page.unroute('**/static/courses-*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('heading', { name: 'Courses', level: 1 })).toBeVisible()
})
