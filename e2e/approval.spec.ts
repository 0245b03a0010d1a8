import { api } from '@flotilla/contract/api'
import { strictSecurity, type SecurityChoices } from '@flotilla/contract/site/settings'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, logIn, openLive, PASSWORD, shortPages } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

/** During these tests, the site requires approval, like a site that is reachable from other machines. */
let server: Server
const setSecurity = async (body: SecurityChoices) =>
  call(server, api.settings.setSecurity, { body }, await adminToken(server))
test.beforeAll(async ({ server: shared }) => {
  server = shared
  await setSecurity({ ...strictSecurity, selfRegisteredAccess: 'after-approval' })
})
test.afterAll(() => setSecurity(strictSecurity))

const BLOCKED = 'An admin must approve your account before you can use this machine'
const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const banner = (page: Page) => page.getByText('Waiting for approval.')

async function register(page: Page, username: string) {
  await page.goto(`${server.url}/register`)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('First name').fill('Grace')
  await page.getByLabel('Last name').fill('Hopper')
  await page.getByLabel('Email').fill(`${username}@example.org`)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Confirm password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page).toHaveURL(`${server.url}/clusters`)
}

test(
  'a new user registers, an admin approves the account with one click, and a job runs',
  { tag: SOAK },
  async ({ page, browser, picture }) => {
    const office = await browser.newContext({ baseURL: server.url })
    const admin = await office.newPage()
    await openLive(admin, server, server.admin, '/clusters')
    await expect(main(admin).getByRole('link', { name: 'Settings', exact: true })).toBeVisible()

    await register(page, 'newcomer')
    await expect(banner(page)).toBeVisible()
    await page.getByRole('link', { name: 'This machine' }).click()
    await expect(page.getByText('You cannot run jobs, open terminals or use files here')).toBeVisible()
    await inspect(page, picture, 'approval-waiting', ['desk', 'phone'])
    await page.getByRole('link', { name: 'Terminal' }).click()
    const terminal = page.getByRole('button', { name: 'Open terminal' })
    await expect(terminal).toBeDisabled()
    await expect(terminal).toHaveAccessibleDescription(BLOCKED)
    await page.goto(`${server.url}/files`)
    await page.getByLabel('Area').selectOption('This machine')
    await expect(page.getByText('You cannot use files on This machine')).toBeVisible()
    const { token } = await logIn(server, { username: 'newcomer', password: PASSWORD })
    const job = { name: 'first', data: { script: 'echo "it runs"' } }
    const { id } = await call(server, api.jobs.create, { body: job }, token)
    await page.goto(`${server.url}/jobs/${id}`)
    await page.getByRole('button', { name: 'Submit' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Submit first' })
    await expect(dialog.getByRole('radio', { name: 'This machine' })).toBeDisabled()
    await expect(dialog.getByText(BLOCKED)).toBeVisible()

    // The admin's page was not reloaded either.
    await main(admin).getByRole('link', { name: 'Settings 1 person waiting for approval' }).click()
    await expect(admin.getByRole('row', { name: /newcomer/ })).toContainText('Waiting for approval')
    await expect(admin.getByRole('row', { name: /newcomer/ })).toContainText('newcomer@example.org')
    await inspect(admin, picture, 'approval-users', ['desk', 'phone'])
    await admin.getByRole('button', { name: 'Approve newcomer' }).click()
    await expect(admin.getByText('Approved', { exact: true })).toBeVisible()
    await expect(admin.getByRole('row', { name: /newcomer/ })).toContainText('Active')
    await expect(admin.getByRole('row', { name: /newcomer/ })).toBeFocused()
    await expect(main(admin).getByRole('link', { name: 'Settings', exact: true })).toBeVisible()

    await expect(banner(page)).toHaveCount(0)
    await expect(page.getByText('You can now use this machine')).toBeVisible()
    await dialog.getByRole('radio', { name: 'This machine' }).check()
    await dialog.getByRole('button', { name: 'Submit' }).click()
    await expect(page.getByText(/Completed on This machine.*exit code 0/)).toBeVisible({ timeout: 180_000 })
    await office.close()
  },
)

test(
  'an admin approves all waiting users at once, including those not loaded yet, and revokes an approval',
  { tag: SOAK },
  async ({ page, browser }) => {
    const body = (username: string) => ({
      username,
      firstName: 'Grace',
      lastName: 'Hopper',
      email: `${username}@example.org`,
      password: PASSWORD,
    })
    for (const username of ['first', 'second', 'third', 'fourth', 'fifth'])
      await call(server, api.auth.register, { body: body(username) })
    await shortPages(page, api.users.list, 2)
    await openLive(page, server, server.admin, '/settings')
    await page.getByRole('button', { name: 'Waiting for approval (5)' }).click()
    await expect(page.getByRole('row', { name: /admin@|First admin/ })).toHaveCount(0)
    await page.getByRole('checkbox', { name: 'Select all rows' }).check()
    const bar = page.getByRole('group', { name: 'Selected rows' })
    await expect(bar).toContainText('2 selected')
    await bar.getByRole('button', { name: 'Select all, including older' }).click()
    await expect(bar).toContainText('5 selected')
    await bar.getByRole('button', { name: 'Approve 5' }).click()
    await expect(page.getByText('5 people approved')).toBeVisible()
    await expect(page.getByText('No one is waiting for approval')).toBeVisible()
    await expect(bar).toHaveCount(0)
    await page.unrouteAll()
    await page.reload()
    await page.getByRole('button', { name: 'Show everyone' }).click()

    const home = await browser.newContext({ baseURL: server.url })
    const person = await home.newPage()
    await openLive(person, server, { username: 'first', password: PASSWORD }, '/clusters')
    await expect(person.getByRole('link', { name: 'This machine' })).toBeVisible()
    await expect(banner(person)).toHaveCount(0)
    await page.getByRole('button', { name: 'Actions for first', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Revoke approval' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke approval for first' })
    await expect(dialog).toContainText('Open terminals close immediately')
    await dialog.getByRole('button', { name: 'Revoke approval' }).click()
    await expect(banner(person)).toBeVisible()
    await home.close()
  },
)

test('the Security tab explains each choice and saves it', { tag: SOAK }, async ({ page, picture }) => {
  await openLive(page, server, server.admin, '/settings/security')
  await expect(page.getByRole('radio', { name: 'After approval', exact: true })).toBeChecked()
  await inspect(page, picture, 'settings-security', ['desk', 'phone'])
  const saved = () => page.waitForResponse((reply) => reply.request().method() === 'PUT')
  await Promise.all([saved(), page.getByRole('radio', { name: 'Default (currently: immediately)' }).check()])
  await expect(page.getByText('Security settings saved')).toBeVisible()
  await Promise.all([saved(), page.getByRole('switch', { name: 'Let jobs connect to the console' }).click()])
  await page.reload()
  await expect(page.getByRole('radio', { name: 'Default (currently: immediately)' })).toBeChecked()
  await expect(page.getByRole('switch', { name: 'Let jobs connect to the console' })).toBeChecked()
  await expect(
    page.getByRole('switch', { name: 'Let everyone attach head nodes at private addresses' }),
  ).not.toBeChecked()
})
