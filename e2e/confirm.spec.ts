import { api } from '@flotilla/contract/api'
import { readFile } from 'node:fs/promises'
import type { Download, Page } from '@playwright/test'
import { byHand } from './support/by-hand'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, newPerson, openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

/* Actions that require the password again, in a session where it was last confirmed 16 minutes ago. */

let server: Server
test.beforeAll(({ server: shared }) => {
  server = shared
})

const expireConfirmation = ({ id }: { id: string }): Promise<void> =>
  byHand(
    server,
    [
      `update sessions set confirmed_at = confirmed_at - interval '16 minutes' where user_id = $1`,
      // The server caches the confirmation; this event invalidates it.
      `select pg_notify('flotilla', json_build_object('kind', 'identity', 'userId', $1::text)::text)`,
    ],
    [id],
  )
/** Opens the page as a new user whose last password confirmation has expired. */
async function openUnconfirmed(page: Page, path: string) {
  const person = await newPerson(server, ['admin', 'user'])
  await openLive(page, server, person, path)
  await expireConfirmation(person)
  return person
}

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Confirm your password' })
async function confirm(page: Page, password: string): Promise<void> {
  await dialog(page).getByLabel('Password', { exact: true }).fill(password)
  await dialog(page).getByRole('button', { name: 'Confirm' }).click()
}
const emailOf = async ({ id }: { id: string }) =>
  (await call(server, api.users.list, {}, await adminToken(server))).find((user) => user.id === id)?.email

test('changing the email address requires the password', { tag: SOAK }, async ({ page, picture }) => {
  const person = await openUnconfirmed(page, '/pages/profile')
  const address = page.getByLabel('Email', { exact: true })
  await address.fill(`new${person.email}`)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(dialog(page).getByLabel('Password', { exact: true })).toBeFocused()
  await inspect(page, picture, 'confirm-password')

  // Canceling keeps the page and the typed values.
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog(page)).toHaveCount(0)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(address).toHaveValue(`new${person.email}`)
  expect(await emailOf(person)).toBe(person.email)

  await page.getByRole('button', { name: 'Save' }).click()
  await confirm(page, '')
  await expect(dialog(page).getByLabel('Password', { exact: true })).toHaveAccessibleDescription(
    'Enter your password',
  )
  await confirm(page, 'not my password')
  await expect(dialog(page).getByLabel('Password', { exact: true })).toHaveAccessibleDescription(
    'Incorrect password',
  )
  await inspect(page, picture, 'confirm-password-wrong', ['desk'])
  await confirm(page, person.password)
  await expect(page.getByText('User Updated, you must log in again to see the changes')).toBeVisible()
  expect(await emailOf(person)).toBe(`new${person.email}`)
})

test('creating access tokens requires the password only once', { tag: SOAK }, async ({ page, picture }) => {
  const person = await openUnconfirmed(page, '/settings_user')
  const make = async (name: string) => {
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('button', { name: 'Create token' }).click()
  }
  await make('nightly')
  await expect(dialog(page)).toBeVisible()
  await picture('confirm-password-over-a-dialog')
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
  const form = page.getByRole('dialog', { name: 'New access token' })
  await expect(form.getByLabel('Name', { exact: true })).toHaveValue('nightly')
  await form.getByRole('button', { name: 'Create token' }).click()
  await confirm(page, person.password)
  await expect(page.getByText(/^flt_/)).toBeVisible()
  await page.getByRole('button', { name: 'Done' }).click()

  await make('weekly')
  await expect(page.getByText(/^flt_/)).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
})

test(
  'downloading a private key requires the password on every page that offers it',
  { tag: SOAK },
  async ({ page }) => {
    const person = await openUnconfirmed(page, '/settings_user')
    const readKey = async (download: Download) => readFile(await download.path(), 'utf8')
    const button = page.getByRole('button', { name: `Download ${person.username}.pem` })
    await button.click()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('alert')).toHaveCount(0)
    await expect(button).toBeEnabled()
    await button.click()
    const own = page.waitForEvent('download')
    await confirm(page, person.password)
    expect(await readKey(await own)).toContain('PRIVATE KEY')

    await expireConfirmation(person)
    await page.getByRole('button', { name: /^User menu/ }).click()
    await page.getByRole('menuitem', { name: 'User SSH Key' }).click()
    const again = page.waitForEvent('download')
    await confirm(page, person.password)
    expect(await readKey(await again)).toContain('PRIVATE KEY')
  },
)

test('running a job as the admin account requires the password', { tag: SOAK }, async ({ page }) => {
  const person = await openUnconfirmed(page, '/jobs')
  const token = (await call(server, api.auth.login, { body: person })).token
  const job = { name: 'who am I', data: { script: '#!/bin/bash\nid\n', walltime: '00:05:00' } }
  const { id } = await call(server, api.jobs.create, { body: job }, token)
  await expireConfirmation(person)
  const submissions = () => call(server, api.jobs.submissions, { id }, token)

  await page.goto(`${server.url}/jobs/${id}`)
  await page.getByRole('button', { name: 'Submit', exact: true }).first().click()
  const form = page.getByRole('dialog', { name: 'Submit who am I' })
  await form.getByRole('radio', { name: 'This machine' }).check()
  await form.getByRole('checkbox', { name: 'Admin' }).check()
  await form.getByRole('button', { name: 'Submit', exact: true }).click()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('dialog', { name: 'ERROR' })).toHaveCount(0)
  await expect(form.getByRole('checkbox', { name: 'Admin' })).toBeChecked()
  expect(await submissions()).toEqual([])

  await form.getByRole('button', { name: 'Submit', exact: true }).click()
  await confirm(page, person.password)
  await expect(form).toHaveCount(0)
  expect(await submissions()).toMatchObject([{ runAsAdmin: true }])
})

test('the password dialog closes when the session ends', { tag: SOAK }, async ({ page }) => {
  const person = await openUnconfirmed(page, '/settings_user')
  await page.getByRole('button', { name: `Download ${person.username}.pem` }).click()
  await expect(dialog(page)).toBeVisible()
  await call(server, api.users.logOutEverywhere, { id: person.id }, await adminToken(server))
  await expect(page).toHaveURL(/\/login/)
  await expect(dialog(page)).toHaveCount(0)
})
