import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { newPerson, open } from './support/people'
import { inspect } from './support/screen'
import { startServer, type Server } from './support/server'
import { writeConfig } from './support/site-config'

const ready = (page: Page, heading: string) =>
  expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()

/** A separate site, so that the screenshots show the same people each time. */
let server: Server
test.beforeAll(async () => {
  server = await startServer()
  for (const [username, firstName, lastName, role] of [
    ['grace', 'Grace', 'Hopper', 'instructor'],
    ['katherine', 'Katherine', 'Johnson', 'user'],
    ['alan', 'Alan', 'Turing', 'user'],
  ] as const)
    await newPerson(server, role === 'instructor' ? ['instructor', 'user'] : [role], {
      username,
      firstName,
      lastName,
    })
})
test.afterAll(() => server.stop())

test('the site settings are accessible', async ({ page, picture }) => {
  await open(page, server, server.admin, '/settings')
  const table = page.getByRole('table', { name: 'Users' })
  await expect(table.getByRole('row')).toHaveCount(5)
  await inspect(page, picture, 'settings-users')
  await page.getByRole('button', { name: 'Actions for admin' }).click()
  await inspect(page, picture, 'settings-users-menu', ['desk'])
  await page.keyboard.press('Escape')
  await page.getByLabel('Filter Users').fill('zzz')
  await expect(page.getByText('No match')).toBeVisible()
  await inspect(page, picture, 'settings-users-no-match')

  for (const [tab, sign] of [
    ['license', 'Site license'],
    ['interface', 'Address and features'],
    ['audit', 'Verify now'],
    ['ldap', 'No LDAP servers'],
    ['nonsense', 'Tab not found'],
  ] as const) {
    await page.goto(`${server.url}/settings/${tab}`)
    await expect(page.getByRole('main').getByText(sign).first()).toBeVisible()
    await inspect(page, picture, `settings-${tab}`)
  }
})

test('the user dialogs are accessible', { tag: SOAK }, async ({ page, picture }) => {
  await open(page, server, server.admin, '/settings')
  const dialog = page.getByRole('dialog')
  const close = async () => {
    await dialog.getByRole('button', { name: 'Close dialog' }).click()
    await expect(dialog).toHaveCount(0)
  }
  await page.getByRole('button', { name: 'New user' }).click()
  await dialog.getByRole('button', { name: 'Create user' }).click()
  await dialog.getByRole('radio', { name: 'Only these' }).check()
  await expect(dialog.getByText('Min character length is 4')).toBeVisible()
  await inspect(page, picture, 'dialog-new-user')
  await close()
  for (const action of ['Edit', 'Roles', 'Change password', 'Invite', 'Remove']) {
    await page.getByRole('button', { name: 'Actions for grace' }).click()
    await page.getByRole('menuitem', { name: action }).click()
    if (action === 'Invite') await dialog.getByRole('button', { name: 'Create link' }).click()
    if (action === 'Invite') await expect(dialog.getByText('/login/')).toBeVisible()
    if (action === 'Remove') await expect(dialog.getByText('They own nothing.')).toBeVisible()
    await expect(dialog).toBeVisible()
    await inspect(page, picture, `dialog-${action.toLowerCase().replace(' ', '-')}`)
    await close()
  }
})

test('the profile and the personal settings are accessible', { tag: SOAK }, async ({ page, picture }) => {
  const grace = { username: 'grace', password: 'Correct-Horse-7!' }
  await open(page, server, grace, '/pages/profile')
  await expect(page.getByRole('heading', { name: 'Name and email' })).toBeVisible()
  await expect(page.getByText(/^ssh-ed25519 /), 'the key that texts ask for, to copy').toBeVisible()
  await inspect(page, picture, 'profile')
  await page.goto(`${server.url}/settings_user`)
  await expect(page.getByRole('table', { name: 'Sessions' })).toBeVisible()
  await inspect(page, picture, 'settings-user')
  await page.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog')
  await inspect(page, picture, 'dialog-new-token')
  await dialog.getByLabel('Name').fill('Nightly jobs on the build machine')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(dialog.getByText('It won’t be shown again')).toBeVisible()
  await inspect(page, picture, 'dialog-token-made')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('table', { name: 'Access tokens' })).toBeVisible()
  await inspect(page, picture, 'settings-user-tokens')
  await page.goto(`${server.url}/general_settings`)
  await expect(page.getByRole('radio', { name: 'System' })).toBeChecked()
  await inspect(page, picture, 'general-settings')
  await page.getByRole('link', { name: 'Notifications' }).click()
  await page.getByRole('radio', { name: 'When they fail' }).check()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await inspect(page, picture, 'notifications')
  await page.reload()
  await expect(page.getByRole('radio', { name: 'When they fail' })).toBeChecked()
})

test('the shell, its menus and its dialogs are accessible', async ({ page, picture }) => {
  await writeConfig(server.dataDir, { branding: { accent: 'red' } })
  await open(page, server, server.admin, '/dashboard')
  await ready(page, 'Dashboard')
  await inspect(page, picture, 'shell-problems')
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await inspect(page, picture, 'dashboard')

  await page.getByRole('button', { name: /^User menu/ }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await inspect(page, picture, 'user-menu')
  await page.keyboard.press('Escape')

  await page.keyboard.press('ControlOrMeta+K')
  await expect(page.getByRole('option')).toHaveCount(10)
  await inspect(page, picture, 'search')
  await page.getByRole('combobox').fill('zzz')
  await expect(page.getByText('No results..')).toBeVisible()
  await inspect(page, picture, 'search-empty')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Collapse navigation' }).click()
  await inspect(page, picture, 'folded', ['desk'])
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await expect(page.getByRole('dialog', { name: 'Navigation' })).toBeVisible()
  await inspect(page, picture, 'drawer', ['phone'])
  await writeConfig(server.dataDir, {})
})

test(
  'a timed session is accessible while the live connection is lost',
  { tag: SOAK },
  async ({ page, picture }) => {
    const timed = await newPerson(server, ['user'], { endTime: Date.now() + 3_600_000 })
    await page.routeWebSocket(/socket\.io/, (socket) => socket.close())
    await page.route('**/socket.io/**', (route) => route.abort())
    await open(page, server, timed, '/general_settings')
    await expect(page.getByRole('timer')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Live updates are off' })).toBeVisible()
    await inspect(page, picture, 'timed-and-offline')
  },
)
