import { readFile } from 'node:fs/promises'
import { VERSION } from '@flotilla/contract/version'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { newPerson, open } from './support/people'

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const sidebar = (page: Page) => page.getByRole('complementary')
const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme)

test('the user menu, the footer and the SSH key', async ({ page, server }) => {
  const person = await newPerson(server)
  await open(page, server, person, '/clusters')
  const year = new Date().getFullYear()
  await expect(page.getByRole('contentinfo')).toContainText(`© ${year} HPC On-Demand Data Center`)
  await page.getByRole('button', { name: 'User menu for Ada Lovelace' }).click()
  await expect(page.getByRole('menu')).toContainText(`Version ${VERSION}`)
  await expect(page.getByRole('menuitem')).toHaveText([
    'Settings',
    'Profile',
    'User SSH Key',
    'Dark theme',
    'Logout',
  ])
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'User SSH Key' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe(`${person.username}.pem`)
  expect(await readFile(await download.path(), 'utf8')).toMatch(/^-----BEGIN OPENSSH PRIVATE KEY-----\n/)

  await page.getByRole('button', { name: /^User menu/ }).click()
  await page.getByRole('menuitem', { name: 'Settings', exact: true }).click()
  await expect(page).toHaveURL('/settings_user')
})

test('a menu works with the keyboard and the pointer', async ({ page, server }) => {
  await open(page, server, await newPerson(server), '/clusters')
  const button = page.getByRole('button', { name: /^User menu/ })
  const item = (name: string) => page.getByRole('menuitem', { name, exact: true })
  const menu = page.getByRole('menu', { name: 'User menu' })

  await button.focus()
  await page.keyboard.press('Enter')
  await expect(item('Settings')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(item('Logout')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(item('Settings')).toBeFocused()
  await page.keyboard.type('us')
  await expect(item('User SSH Key')).toBeFocused()
  await page.keyboard.press('Home')
  await page.keyboard.press('Escape')
  await expect(menu).toHaveCount(0)
  await expect(button).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await expect(menu).toHaveCount(0)
  await button.focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Space')
  await expect.poll(() => themeOf(page)).toBe('dark')
  await expect(button).toBeFocused()

  await button.click()
  await expect(menu).toBeVisible()
  await expect(button).toHaveAttribute('aria-expanded', 'true')
  await button.click()
  await expect(menu).toHaveCount(0)
  await button.click()
  await item('Profile').hover()
  await expect(item('Profile')).toBeFocused()
  await page.getByRole('heading', { level: 1 }).click()
  await expect(menu).toHaveCount(0)
  await button.click()
  await item('Profile').click()
  await expect(page).toHaveURL('/pages/profile')
})

test('a menu opened while the page behind it loads stays open', async ({ page, server }) => {
  await open(page, server, await newPerson(server), '/general_settings')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  let load = () => {}
  const mayLoad = new Promise<void>((resolve) => (load = resolve))
  await page.route(/\/static\/|\/api\/jobs/, async (route) => {
    await mayLoad
    await route.continue()
  })
  await main(page).getByRole('link', { name: 'Job Manager' }).click()
  await page.getByRole('button', { name: /^User menu/ }).click()
  const menu = page.getByRole('menu', { name: 'User menu' })
  await expect(menu).toBeFocused()
  load()
  await expect(page.getByText('No jobs yet')).toBeVisible()
  await expect(menu).toBeFocused()
})

test('following a link moves the focus to the next page’s heading, even when the page loads late', async ({
  page,
  server,
}) => {
  await open(page, server, await newPerson(server), '/clusters')
  let load = () => {}
  const mayLoad = new Promise<void>((resolve) => (load = resolve))
  await page.route(/\/api\/clusters\/\w+$/, async (route) => {
    await mayLoad
    await route.continue()
  })
  const heading = page.getByRole('heading', { level: 1 })
  await page.getByRole('link', { name: 'This machine' }).click()
  await expect(heading).toHaveText('Cluster')
  await expect(heading).toBeFocused()
  load()
  await expect(heading).toHaveText('This machine')
  await expect(heading).toBeFocused()
})

test(
  'the theme is saved and applies in the user’s other browsers',
  { tag: SOAK },
  async ({ page, server, browser }) => {
    const person = await newPerson(server)
    await open(page, server, person, '/clusters')
    expect(await themeOf(page)).toBe('light')
    await page.getByRole('button', { name: /^User menu/ }).click()
    const saved = page.waitForResponse((reply) => reply.request().method() === 'PUT' && reply.ok())
    await page.getByRole('menuitem', { name: 'Dark theme' }).click()
    await saved
    expect(await themeOf(page)).toBe('dark')
    await page.reload({ waitUntil: 'domcontentloaded' })
    expect(await themeOf(page)).toBe('dark')

    const elsewhere = await browser.newContext({ baseURL: server.url })
    const other = await elsewhere.newPage()
    await open(other, server, person, '/clusters')
    await expect.poll(() => themeOf(other)).toBe('dark')
    await elsewhere.close()
  },
)

test('on a phone the navigation is a drawer', async ({ page, server }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, server, await newPerson(server), '/general_settings')
  await expect(sidebar(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Open navigation' }).click()
  const drawer = page.getByRole('dialog', { name: 'Navigation' })
  await expect(drawer).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await drawer.getByRole('link', { name: 'Job Manager' }).click()
  await expect(page).toHaveURL('/jobs')
  await expect(drawer).toHaveCount(0)
  const overflow = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(overflow).toBe(0)
})
