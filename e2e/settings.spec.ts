import { api } from '@flotilla/contract/api'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { makeLicense } from './support/license-file'
import { adminToken, call, logIn, newPerson, open, shortPages } from './support/people'
import { startServer } from './support/server'
import { writeConfig } from './support/site-config'

const appearanceOf = (page: Page) =>
  page.evaluate(() => {
    const { theme, palette } = document.documentElement.dataset
    return { theme, palette }
  })

test(
  'a new theme and new status colors apply immediately and are saved',
  { tag: SOAK },
  async ({ page, server }) => {
    await open(page, server, await newPerson(server), '/general_settings')
    await page.getByRole('radio', { name: 'Dark' }).check()
    await expect.poll(() => appearanceOf(page)).toEqual({ theme: 'dark' })
    await expect(page.getByText('Saved', { exact: true })).toBeVisible()
    await page.getByRole('radio', { name: 'Color-blind safe' }).check()
    await expect.poll(() => appearanceOf(page)).toEqual({ theme: 'dark', palette: 'safe' })
    await expect(page.getByText('Saved', { exact: true })).toBeVisible()
    await page.reload()
    await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked()
    await expect(page.getByRole('radio', { name: 'Color-blind safe' })).toBeChecked()
    await page.getByRole('radio', { name: 'System' }).check()
    await expect.poll(() => appearanceOf(page)).toEqual({ theme: 'light', palette: 'safe' })
  },
)

test(
  'times are shown in the chosen format, in every browser',
  { tag: SOAK },
  async ({ page, server, browser }) => {
    const person = await newPerson(server)
    await open(page, server, person, '/settings_user')
    const time = (at: Page) => at.getByRole('table', { name: 'Sessions' }).getByRole('time').first()
    const ago = /^(just now|\d+ (s|min) ago)$/
    const moment = /^\d{1,2} [A-Z][a-z]+ 20\d\d, \d\d:\d\d:\d\d$/
    await expect(time(page)).toHaveText(ago)
    await expect(time(page)).toHaveAttribute('title', moment)

    await page.getByRole('link', { name: 'Appearance' }).click()
    await page.getByRole('radio', { name: 'Absolute' }).check()
    await expect(page.getByText('Saved', { exact: true })).toBeVisible()
    await page.getByRole('link', { name: 'Security' }).click()
    await expect(time(page)).toHaveText(moment)
    await expect(time(page)).toHaveAttribute('title', ago)
    // The column must not truncate the time.
    const isCut = await time(page).evaluate((element) => {
      const cell = element.closest('td')
      return cell !== null && cell.scrollWidth > cell.clientWidth
    })
    expect(isCut).toBe(false)

    const elsewhere = await browser.newContext({ baseURL: server.url, locale: 'en-GB', timezoneId: 'UTC' })
    const other = await elsewhere.newPage()
    await open(other, server, person, '/settings_user')
    await expect(time(other)).toHaveText(moment)
    await other.goto('/jobs')
    await expect(other.getByText(/^updated \d{1,2} [A-Z]/)).toBeVisible()
    await elsewhere.close()

    await page.getByRole('link', { name: 'Appearance' }).click()
    await expect(page.getByRole('radio', { name: 'Absolute' })).toBeChecked()
    await page.getByRole('radio', { name: 'Relative' }).check()
    await page.getByRole('link', { name: 'Security' }).click()
    await expect(time(page)).toHaveText(ago)
  },
)

test('an admin reads the audit trail back to its beginning', { tag: SOAK }, async ({ page, server }) => {
  // Filtered by one user, because other tests have left many records on this server.
  const { id, username } = await newPerson(server)
  const token = await adminToken(server)
  for (const firstName of ['Ada', 'Bea', 'Cleo', 'Dora', 'Edith', 'Fay', 'Gina'])
    await call(server, api.users.update, { body: { id, firstName } }, token)
  await shortPages(page, api.activities.list, 3)
  await open(page, server, server.admin, `/settings/audit?subject=${username}`)
  const rows = page.getByRole('table', { name: 'Audit trail' }).getByRole('row')
  await expect(rows).toHaveCount(4)
  const older = page.getByRole('button', { name: 'Show older' })
  await older.click()
  await expect(rows).toHaveCount(7)
  await expect(async () => {
    if (await older.isVisible()) await older.click({ timeout: 1000 })
    await expect(older).toHaveCount(0, { timeout: 1000 })
  }).toPass()
  const { length } = await call(
    server,
    api.activities.list,
    { query: { limit: 1000, subject: username } },
    token,
  )
  await expect(rows).toHaveCount(length + 1)
  await expect(rows.last()).toContainText('User created')
})

test('a user who changes their name logs in again', { tag: SOAK }, async ({ page, server }) => {
  const person = await newPerson(server)
  await open(page, server, person, '/pages/profile')
  await page.getByLabel('First name').fill('A')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByLabel('First name')).toHaveAccessibleDescription('Min character length is 2')
  await page.getByLabel('First name').fill('Augusta')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('User Updated, you must log in again to see the changes')).toBeVisible()
  await expect(page).toHaveURL('/login')
  await open(page, server, person, '/pages/profile')
  await expect(page.getByRole('heading', { name: 'Augusta Lovelace' })).toBeVisible()
})

test('a user who changes their password logs in with the new one', async ({ page, server }) => {
  const person = await newPerson(server)
  await open(page, server, person, '/settings_user')
  await page.getByLabel('Current password').fill('not my password')
  await page.getByLabel('New password').fill('Other-Horse-8!')
  await page.getByLabel('Confirm password').fill('Other-Horse-8!')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByLabel('Current password')).toHaveAccessibleDescription(
    'This is not your current password',
  )
  await page.getByLabel('Current password').fill(person.password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Password Updated')).toBeVisible()
  await expect(page).toHaveURL('/login')
  await logIn(server, { ...person, password: 'Other-Horse-8!' })
})

test(
  'a user sees where they are logged in and ends the other sessions',
  { tag: SOAK },
  async ({ page, server, browser }) => {
    const person = await newPerson(server)
    const elsewhere = await browser.newContext({ baseURL: server.url })
    const other = await elsewhere.newPage()
    await open(other, server, person, '/clusters')
    await open(page, server, person, '/settings_user')
    const sessions = page.getByRole('table', { name: 'Sessions' })
    await expect(sessions.getByRole('row')).toHaveCount(3)
    await expect(sessions.getByText('This session')).toHaveCount(1)
    await page.getByRole('button', { name: 'End all other sessions' }).click()
    await expect(page.getByText('All other sessions closed')).toBeVisible()
    await expect(sessions.getByRole('row')).toHaveCount(2)
    await expect(other).toHaveURL('/login')
    await expect(other.getByText('Session ended.')).toBeVisible()
    await elsewhere.close()
  },
)

test('an access token works until it is revoked', async ({ page, server }) => {
  await open(page, server, await newPerson(server), '/settings_user')
  await expect(page.getByText('No access tokens')).toBeVisible()
  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog')
  const make = dialog.getByRole('button', { name: 'Create token' })
  await make.click()
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/Enter a name/)
  await dialog.getByLabel('Name').fill('nightly')
  await dialog.getByRole('radio', { name: 'Jobs' }).check()
  await dialog.getByLabel('Expires after').selectOption('30 days')
  await make.click()
  await expect(dialog.getByText('It won’t be shown again')).toBeVisible()
  const token = (await dialog.getByText(/^flt_/).textContent()) ?? ''
  // It cannot be shown again, so only the button closes the dialog.
  await page.keyboard.press('Escape')
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText(/flt_/)).toHaveCount(0)
  const row = page.getByRole('table', { name: 'Access tokens' }).getByRole('row', { name: /^nightly/ })
  await expect(row).toContainText(/Jobs.*Never.*in (29|30) d/)

  expect(await call(server, api.jobs.list, {}, token)).toEqual([])
  await page.reload()
  await expect(row).toContainText('127.0.0.1')
  await page.getByRole('button', { name: 'Actions for nightly' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await dialog.getByRole('button', { name: 'Revoke token' }).click()
  await expect(page.getByText('Access token revoked')).toBeVisible()
  await expect(page.getByText('No access tokens')).toBeVisible()
  await expect(call(server, api.jobs.list, {}, token)).rejects.toMatchObject({ status: 401 })
})

test(
  'an admin sees the license, the interface settings and the audit trail',
  { tag: SOAK },
  async ({ page }) => {
    const license = await makeLicense()
    await license.install({ type: 'Multi-User' })
    // This server has never had a valid configuration.
    const server = await startServer({ env: license.env })
    await writeConfig(server.dataDir, {
      branding: { name: 'Example Cluster', accent: 'red' },
      idleTimer: -1,
      trainingMenuTitle: 'Courses here',
    })
    const person = await newPerson(server)
    await open(page, server, person, '/clusters')
    await expect(page.getByText('Parts of this site’s configuration could not be read.')).toBeVisible()

    await open(page, server, server.admin, '/settings/license')
    const banner = page.getByRole('status').filter({ hasText: 'This site’s configuration has problems' })
    await expect(banner.getByRole('listitem')).toHaveText([
      /idleTimer/,
      /branding\.accent/,
      /strictest values.*idleTimer 900/,
    ])
    await expect(page.getByText('Multi-User', { exact: true })).toBeVisible()
    await expect(page.getByText('Example University')).toBeVisible()

    const tabs = page.getByRole('navigation', { name: 'Settings' })
    await tabs.getByRole('link', { name: 'Interface' }).click()
    await expect(page.getByLabel('Name')).toHaveValue('Example Cluster')
    await expect(page.getByLabel('Name')).toBeDisabled()
    await expect(page.getByLabel('Training menu title')).toHaveAccessibleDescription(
      'Set by assets/config.json on the server. Change it there.',
    )
    await expect(page.getByRole('main').getByText(/branding\.accent/)).toBeVisible()
    await banner.getByRole('button', { name: 'Dismiss' }).click()
    await expect(banner).toHaveCount(0)

    await tabs.getByRole('link', { name: 'Audit' }).click()
    const trail = page.getByRole('table', { name: 'Audit trail' })
    // On a first start, the newest record may also be that This machine became available.
    await expect(trail.getByRole('row').filter({ hasText: 'logged in' }).first()).toBeVisible()
    await expect(
      trail.getByRole('row', { name: new RegExp(`User created user ${person.username}`) }),
    ).toBeVisible()

    for (const [tab, title] of [
      ['LDAP', 'No LDAP servers'],
      ['Two-step', 'No two-step rules'],
      ['Cluster', 'Remote desktops'],
    ] as const) {
      await tabs.getByRole('link', { name: tab, exact: true }).click()
      await expect(page.getByRole('main').getByText(title, { exact: true }).last()).toBeVisible()
    }
    await page.goto(`${server.url}/settings/nonsense`)
    await expect(page.getByText('Tab not found')).toBeVisible()
    await server.stop()
  },
)

test('a configuration that is not valid JSON still loads a page', { tag: SOAK }, async ({ page, server }) => {
  await writeConfig(server.dataDir, '{ "branding": ')
  try {
    await page.goto('/login')
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
    await expect(page.getByText('Parts of this site’s configuration could not be read.')).toBeVisible()
  } finally {
    await writeConfig(server.dataDir, {})
  }
})
