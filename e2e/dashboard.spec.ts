import { SOAK, expect, test } from './support/fixtures'
import { newPerson, open, openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ server: shared }) => {
  server = shared
})

test('everyone, including guests, sees an announcement', { tag: SOAK }, async ({ page, browser }) => {
  const text = 'Maintenance on Friday from 8 to 10'
  const others = await browser.newContext()
  const [person, guest] = await Promise.all([others.newPage(), browser.newPage()])
  await openLive(person, server, await newPerson(server), '/clusters')
  await open(page, server, server.admin, '/dashboard')
  await page.getByRole('button', { name: 'Announcement' }).click()
  const dialog = page.getByRole('dialog', { name: 'Announcement' })
  await dialog.getByRole('button', { name: 'Post' }).click()
  await expect(dialog.getByText('Enter the announcement text')).toBeVisible()
  await dialog.getByLabel('Text').fill(text)
  await dialog.getByRole('button', { name: 'Post' }).click()
  await expect(dialog).toHaveCount(0)
  for (const seen of [page, person]) await expect(seen.getByRole('status').getByText(text)).toBeVisible()
  await guest.goto(`${server.url}/login`)
  await expect(guest.getByText(text)).toBeVisible()

  await page.getByRole('button', { name: 'Announcement' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(person.getByText(text)).toHaveCount(0)
  await Promise.all([others.close(), guest.close()])
})

test('a new user runs an example, watches it, and finds what they can do on a cluster', async ({
  page,
  picture,
}) => {
  await open(page, server, await newPerson(server), '/clusters')
  const card = page.locator('section', { hasText: 'Get started' })
  await expect(card.getByRole('button', { name: 'Run hello' })).toBeEnabled()
  await inspect(page, picture, 'first-run')
  await card.getByRole('button', { name: 'Run hello' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('hello')
  await expect(page.getByText('step 2 of 10')).toBeVisible()
  const trail = page.getByRole('navigation', { name: 'Breadcrumb' })
  await expect(trail.getByRole('listitem')).toHaveText(['Job Manager', 'hello'])
  await page.getByRole('link', { name: 'Edit' }).click()
  await expect(trail.getByRole('listitem')).toHaveText(['Job Manager', 'hello', 'Edit job'])
  await trail.getByRole('link', { name: 'hello' }).click()
  await expect(page).toHaveURL(/\/jobs\/\w+$/)

  await page.getByRole('banner').getByRole('link', { name: 'Back' }).click()
  await expect(card.getByText('Run an example (done)')).toBeVisible()
  await expect(card.getByRole('link', { name: 'Open terminal' })).toBeVisible()
  await page.getByRole('link', { name: 'This machine', exact: true }).click()
  await expect(trail.getByRole('listitem')).toHaveText(['Cluster Manager', 'This machine'])
  const main = page.getByRole('main')
  for (const action of ['Stop', 'Edit'])
    await expect(main.getByRole('button', { name: action, exact: true })).toHaveCount(0)
  await page.getByRole('button', { name: 'More actions for This machine' }).click()
  await expect(page.getByRole('menu').getByText(/^Only the owner, .*, can change this cluster$/)).toHaveCount(
    1,
  )
  await expect(page.getByRole('menuitem')).toHaveText(['Duplicate', 'Export as YAML'])
  await page.keyboard.press('Escape')
  await inspect(page, picture, 'cluster-of-others')
  await main.getByRole('button', { name: 'Submit a job' }).click()
  const dialog = page.getByRole('dialog', { name: 'Quick Job Submit' })
  await expect(dialog.getByRole('radio', { name: 'This machine' })).toBeChecked()
  await page.keyboard.press('Escape')
  await main.getByRole('button', { name: 'Files' }).click()
  await expect(page).toHaveURL(/\/files\?area=\w+/)
  await page.goBack()
  await main.getByRole('button', { name: 'Terminal' }).click()
  await expect(page).toHaveURL(/\/terminal$/)
  await main.getByRole('button', { name: 'Open terminal' }).click()
  // Once the prompt is shown, the server has recorded that the terminal was opened.
  await expect(main.getByRole('region', { name: /^Terminal on/ })).toContainText(/[$#]/)

  await page.goto(`${server.url}/clusters`)
  await expect(page.getByRole('table', { name: 'Clusters' })).toBeVisible()
  await expect(card).toHaveCount(0)
})

test('a user can permanently hide the first things to try', { tag: SOAK }, async ({ page }) => {
  const person = await newPerson(server)
  await open(page, server, person, '/clusters')
  const hide = page.getByRole('button', { name: 'Hide' })
  const saved = page.waitForResponse((reply) => reply.request().method() === 'PUT' && reply.ok())
  await hide.click()
  await saved
  await expect(hide).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('table', { name: 'Clusters' })).toBeVisible()
  await expect(hide).toHaveCount(0)
})
