import { startPostgres, type TestPostgres } from '../apps/server/test/support/database/postgres'
import { SOAK, expect, test } from './support/fixtures'
import { logIn, openLive } from './support/people'
import { startServer, type Server } from './support/server'

let postgres: TestPostgres
let server: Server
test.beforeAll(async () => {
  postgres = await startPostgres()
  server = await startServer({ env: { DATABASE_URL: postgres.url } })
})
test.afterAll(async () => {
  await server.stop()
  await postgres.remove()
})

test(
  'the console explains that the database is down, and recovers without a restart',
  { tag: SOAK },
  async ({ page }) => {
    const message = 'The database cannot be reached. Try again in a moment.'
    await openLive(page, server, server.admin, '/settings')
    await expect(page.getByRole('row', { name: /^admin/ })).toBeVisible()
    await postgres.stop()

    // The current screen stays, a page that needs data shows the reason, and an action opens the ERROR dialog.
    await page.getByRole('button', { name: 'Actions for admin', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Log out everywhere' }).click()
    const confirmation = page.getByRole('dialog', { name: /^Log out .*\badmin\b/ })
    await confirmation.getByRole('button', { name: 'Log out everywhere' }).click()
    const dialog = page.getByRole('dialog', { name: 'ERROR' })
    await expect(dialog).toContainText(`${message.replace(/\.$/, '')}...`)
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    await confirmation.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Audit' }).click()
    await expect(page.getByRole('alert')).toContainText(message)

    const visitor = await page.context().newPage()
    await visitor.goto(`${server.url}/general_settings`)
    await expect(visitor.getByRole('heading', { name: 'The server cannot be reached' })).toBeVisible()

    await postgres.start()
    // The page may recover by itself before the button is clicked.
    const again = page.getByRole('alert').getByRole('button', { name: 'Try again' })
    await expect(async () => {
      if (await again.isVisible()) await again.click({ timeout: 1000 })
      await expect(page.getByRole('table', { name: 'Audit trail' })).toContainText('Logged in', {
        timeout: 1000,
      })
    }).toPass()
    await visitor.getByRole('button', { name: 'Try again' }).click()
    await expect(visitor.getByRole('heading', { name: 'Appearance' })).toBeVisible()
    await logIn(server, server.admin)
  },
)

test(
  'the login page says that the database is down, and works once it is up',
  { tag: SOAK },
  async ({ page }) => {
    await page.goto(`${server.url}/login`)
    await page.getByLabel('Username').fill(server.admin.username)
    await page.getByLabel('Password', { exact: true }).fill(server.admin.password)
    await postgres.kill()
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await expect(page.getByRole('alert')).toContainText(
      'database_unavailable: The database cannot be reached.',
    )
    await postgres.start()
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await expect(page).toHaveURL(`${server.url}/dashboard`)
  },
)
