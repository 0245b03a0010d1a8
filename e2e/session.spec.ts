import { api } from '@flotilla/contract/api'
import { rm } from 'node:fs/promises'
import { ApiError } from '@flotilla/client/api-error'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, keepToken, liveIn, logIn, newPerson, open, openLive } from './support/people'
import { newDataDir, startServer } from './support/server'
import { writeConfig } from './support/site-config'

const storedNames = (page: Page) =>
  page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)])

const isOpen = (server: { url: string }, token: string): Promise<boolean> =>
  call(server, api.auth.sessions, {}, token).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return false
      throw error
    },
  )

async function logOut(page: Page) {
  await page.getByRole('button', { name: /^User menu/ }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
  await expect(page).toHaveURL(/\/login$/)
}

test('logging out clears stored data and revokes the token', async ({ page, server }) => {
  const { token } = await open(page, server, await newPerson(server), '/clusters')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Job Manager' }).click()
  await expect(page).toHaveURL('/jobs')
  await page.getByRole('button', { name: 'Collapse navigation' }).click()
  expect(await storedNames(page)).toContain('flotilla.page.shell')
  expect(await isOpen(server, token)).toBe(true)
  await page.evaluate(() => localStorage.setItem('another-app', 'kept'))
  const loggedOut = page.waitForResponse(`**${api.auth.logout.path}`)
  await logOut(page)
  await loggedOut
  expect(await storedNames(page)).toEqual(['another-app'])
  expect(await isOpen(server, token)).toBe(false)
  await expect(page.getByText('Session ended.')).toHaveCount(0)
  await page.goBack()
  await expect(page).toHaveURL('/login')
})

test('a user whom an admin logs out is sent to the login page without a dialog', async ({ page, server }) => {
  const person = await newPerson(server)
  await openLive(page, server, person, '/general_settings')
  const token = await adminToken(server)
  await call(server, api.users.logOutEverywhere, { id: person.id }, token)
  await expect(page).toHaveURL('/login')
  await expect(page.getByRole('button', { name: 'Log in', exact: true })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByText('Session ended.')).toHaveCount(0)
})

test('a password changed elsewhere ends the session here', { tag: SOAK }, async ({ page, server }) => {
  const person = await newPerson(server)
  await openLive(page, server, person, '/general_settings')
  const { token } = await logIn(server, person)
  await call(
    server,
    api.users.changePassword,
    { body: { currentPassword: person.password, password: 'Other-Horse-8!' } },
    token,
  )
  await expect(page.getByText('Session ended.')).toBeVisible()
  await expect(page).toHaveURL('/login')
  expect(await storedNames(page)).toEqual([])
})

test('an expired token is reported at startup', async ({ page, server }) => {
  const person = await newPerson(server)
  const { token } = await logIn(server, person)
  await call(server, api.auth.logout, {}, token)
  await keepToken(page, server, token)
  await page.goto('/general_settings')
  await expect(page.getByText('Session ended.')).toBeVisible()
  await expect(page).toHaveURL('/login')
  await page.getByLabel('Username').fill(person.username)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await expect(page).toHaveURL('/general_settings')
})

test('a loading screen is shown while the saved session is checked', async ({ page, server }) => {
  let respond = () => {}
  const mayRespond = new Promise<void>((resolve) => (respond = resolve))
  await page.route(`**${api.auth.refresh.path}`, async (route) => {
    await mayRespond
    await route.continue()
  })
  await open(page, server, await newPerson(server), '/clusters')
  await expect(page.getByRole('status')).toHaveText('Checking your session')
  await expect(page.getByRole('navigation')).toHaveCount(0)
  respond()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
})

test(
  'a timed account counts down in every tab, follows a new end and role, and ends with a thank-you in all tabs',
  { tag: SOAK },
  async ({ page, context, server }) => {
    const person = await newPerson(server)
    const admin = await adminToken(server)
    const change = (body: { endTime?: number; role?: ('user' | 'instructor')[] }) =>
      call(server, api.users.update, { body: { id: person.id, ...body } }, admin)
    await change({ endTime: Date.now() + 50 * 60_000 })
    const { token } = await openLive(page, server, person, '/clusters')
    const other = await context.newPage()
    await liveIn(other, () => other.goto('/jobs'))
    const tabs = [page, other]
    const timer = page.getByRole('timer')
    await expect(timer).toHaveText(/^49:\d\d$/)
    const first = (await timer.textContent()) ?? ''
    await expect(timer).not.toHaveText(first)

    // Both pages update without a reload.
    await change({ endTime: Date.now() + 3 * 3_600_000, role: ['instructor', 'user'] })
    for (const tab of tabs) {
      await expect(tab.getByRole('timer')).toHaveText(/^(2:59:\d\d|3:00:00)$/)
      await expect(
        tab.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Stack Manager' }),
      ).toBeVisible()
    }
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Stack Manager' }).click()
    await expect(page).toHaveURL('/stacks')
    await change({ role: ['user'] })
    // The browser leaves the page, which the new role may not see.
    await expect(page).toHaveURL('/clusters')
    for (const tab of tabs)
      await expect(
        tab.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Stack Manager' }),
      ).toHaveCount(0)
    await expect(other).toHaveURL('/jobs')

    await change({ endTime: Date.now() + 4_000 })
    for (const tab of tabs) {
      const dialog = tab.getByRole('dialog', { name: 'Thank you' })
      await expect(dialog).toBeVisible()
      await expect(tab.getByText('Session Expired')).toBeVisible()
      await expect(dialog.getByRole('link', { name: 'Contact Us' })).toHaveAttribute(
        'href',
        'mailto:support@localhost',
      )
      await expect(tab).toHaveURL('/login')
      await dialog.getByRole('button', { name: 'Close', exact: true }).click()
      await expect(dialog).toHaveCount(0)
      // The field lost the focus only because of the dialog, so it shows no error.
      await expect(tab.getByText('Min character length is 4')).toHaveCount(0)
      await expect(tab.getByText('Session Expired')).toBeVisible()
    }
    expect(await storedNames(page)).toEqual([])
    expect(await isOpen(server, token)).toBe(false)
  },
)

test('two tabs share one session', { tag: SOAK }, async ({ page, context, server }) => {
  const person = await newPerson(server)
  await open(page, server, person, '/clusters')
  const other = await context.newPage()
  await other.goto('/general_settings')
  await expect(other.getByRole('heading', { name: 'Appearance' })).toBeVisible()
  await logOut(page)
  await expect(other).toHaveURL('/login')

  await page.getByLabel('Username').fill(person.username)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await expect(page).toHaveURL('/clusters')
  await expect(other.getByRole('button', { name: /^User menu/ })).toBeVisible()
})

test('a session survives a server restart', { tag: SOAK }, async ({ page }) => {
  const dataDir = await newDataDir()
  await writeConfig(dataDir, { updateInterval: 1000 })
  const first = await startServer({ dataDir })
  await openLive(page, first, first.admin, '/settings')
  const cloudOff = page.getByRole('button', { name: 'Live updates are off' })
  await expect(cloudOff).toHaveCount(0)

  await first.stop()
  await expect(cloudOff).toBeVisible()
  await expect(page.getByRole('row', { name: /^admin/ })).toBeVisible()

  const second = await startServer({ dataDir, port: first.port })
  await expect(cloudOff).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('row', { name: /^admin/ })).toBeVisible()
  await expect(page).toHaveURL(`${second.url}/settings`)
  await second.stop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

test('a session ends after being idle for too long', { tag: SOAK }, async ({ page, server }) => {
  const person = await newPerson(server)
  await writeConfig(server.dataDir, { idleTimer: 4 })
  const { token } = await open(page, server, person, '/general_settings')
  await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible()
  await expect(page.getByText('Session Expired')).toBeVisible()
  await expect(page).toHaveURL(`${server.url}/login`)
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(await storedNames(page)).toEqual([])
  // The page does not wait for the response to its logout.
  await expect.poll(() => isOpen(server, token)).toBe(false)
  await writeConfig(server.dataDir, {})
})
