import { api } from '@flotilla/contract/api'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { call, newPerson, open, type Role } from './support/people'

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })
const sidebar = (page: Page) => page.getByRole('complementary')
const back = (page: Page) => page.getByRole('banner').getByRole('link', { name: 'Back' })
const quickJob = (page: Page) => page.getByRole('button', { name: 'Quick job' })
const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme)

const groups: [Role, Record<string, string[]>][] = [
  [
    'admin',
    {
      Compute: ['Credentials Manager', 'Stack Manager', 'Cluster Manager'],
      Workloads: ['Job Manager', 'File Manager'],
      Education: ['Workshop'],
      'Content Library': ['Apps', 'Courses'],
      Administration: ['Accounting', 'Settings'],
    },
  ],
  [
    'instructor',
    { Compute: ['Stack Manager'], Education: ['Workshop'], 'Content Library': ['Apps', 'Courses'] },
  ],
  ['user', { Compute: ['Cluster Manager'], Workloads: ['Job Manager', 'File Manager'] }],
]
for (const [role, expected] of groups) {
  test(`the navigation shows ${role}s the links of their role`, async ({ page, server }) => {
    await open(page, server, await newPerson(server, [role]))
    for (const [heading, links] of Object.entries(expected)) {
      const group = main(page).getByRole('region', { name: heading })
      await expect(group.getByRole('heading', { name: heading })).toBeVisible()
      await expect(group.getByRole('link')).toHaveText(links)
    }
    await expect(main(page).getByRole('region')).toHaveCount(Object.keys(expected).length)
    await expect(main(page).getByRole('link', { name: 'Dashboard' })).toHaveCount(role === 'admin' ? 1 : 0)
    const here = { admin: 'Dashboard', instructor: 'Workshop', user: 'Cluster Manager' }[role]
    await expect(main(page).getByRole('link', { name: here })).toHaveAttribute('aria-current', 'page')
  })
}

test('the navigation collapses, stays collapsed and labels its icons', async ({ page, server }) => {
  await open(page, server, await newPerson(server), '/general_settings')
  const width = async () => (await sidebar(page).boundingBox())?.width
  await expect.poll(width).toBe(280)
  await page.getByRole('button', { name: 'Collapse navigation' }).click()
  await expect.poll(width).toBe(64)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Expand navigation' })).toBeVisible()
  await expect.poll(width).toBe(64)
  const link = main(page).getByRole('link', { name: 'Job Manager' })
  await link.hover()
  // When collapsed, the name appears only in the tooltip.
  await expect(page.getByText('Job Manager', { exact: true })).toBeVisible()
  await link.click()
  await expect(page).toHaveURL('/jobs')
})

test('the search finds pages, resources and actions', async ({ page, server }) => {
  const { token } = await open(page, server, server.admin, '/dashboard')
  const body = { name: 'wobble test', data: { script: '#!/bin/bash\ntrue\n' } }
  const job = await call(server, api.jobs.create, { body }, token)
  const box = page.getByRole('combobox', { name: 'Search' })
  // Text that is typed before the search has loaded is not lost.
  let load = () => {}
  const typed = new Promise<void>((resolve) => (load = resolve))
  await page.route('**/static/search-*.js', async (route) => {
    await typed
    await route.continue()
  })
  const searchButton = page.getByRole('button', { name: 'Search navigation' })
  await expect(searchButton).toBeVisible()
  await page.keyboard.press('ControlOrMeta+K')
  await page.keyboard.type('wobb')
  load()
  await expect(box).toHaveValue('wobb')
  await page.keyboard.press('Escape')

  await searchButton.click()
  // The dashboard behind the dialog also has options.
  const options = page.getByRole('dialog').getByRole('option')
  await expect(box).toBeFocused()
  await expect(options).toHaveCount(10)
  await box.fill('slurm')
  await expect(options).toHaveText(['Job ManagerWorkloads'])
  await box.fill('zzz')
  await expect(options).toHaveCount(0)
  await expect(page.getByText('No results..')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(box).toHaveCount(0)

  await page.keyboard.press('ControlOrMeta+K')
  await expect(box).toBeFocused()
  await box.fill('ma')
  const labels = await options.allTextContents()
  expect(labels.length).toBeGreaterThan(2)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true')
  await box.fill('general')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/general_settings')
  await expect(box).toHaveCount(0)

  await page.keyboard.press('ControlOrMeta+K')
  await box.fill('wobb')
  await expect(options).toHaveText(['wobble testJob', 'Submit wobble testAction'])
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/jobs/${job.id}`)
  await page.keyboard.press('ControlOrMeta+K')
  await box.fill('submit wobble')
  await expect(options.first()).toHaveText('Submit wobble testAction')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Submit wobble test' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+K')
  await box.fill('dark theme')
  await page.keyboard.press('Enter')
  await expect.poll(() => themeOf(page)).toBe('dark')
  // Later tests log in as the same admin.
  await call(server, api.ui.setPreferences, { body: { preferences: { theme: 'system' } } }, token)
  await page.keyboard.press('/')
  await box.fill('This mach')
  await expect(options.filter({ hasText: 'Cluster · available' })).toHaveText(/^This machine/)
})

test(
  'the back button and Quick job are shown only on their pages',
  { tag: SOAK },
  async ({ page, server }) => {
    await open(page, server, server.admin, '/account')
    await expect(page.getByRole('heading', { name: 'Accounting' })).toBeVisible()
    await expect(back(page)).toHaveCount(0)
    await expect(quickJob(page)).toHaveCount(0)
    await main(page).getByRole('link', { name: 'Settings' }).click()
    await expect(page).toHaveURL('/settings')
    await expect(back(page)).toHaveCount(0)
    await expect(quickJob(page)).toHaveCount(0)
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'License' }).click()
    await expect(page).toHaveURL('/settings/license')
    await expect(back(page)).toHaveCount(0)

    await main(page).getByRole('link', { name: 'Dashboard' }).click()
    await expect(quickJob(page)).toBeVisible()
    await back(page).click()
    await expect(page).toHaveURL('/clusters')
    await expect(back(page)).toHaveCount(0)
    await expect(quickJob(page)).toBeVisible()

    for (const path of ['/account/5', '/account-job/ada', '/account-cluster/7']) {
      await page.goto(path)
      await back(page).click()
      await expect(page).toHaveURL('/account')
    }
  },
)

test('an unknown path shows a 404 page, to guests and to users', async ({ page, server }) => {
  await page.goto('/no/such/page')
  await expect(page).toHaveURL('/pages/errors/error-404?from=%2Fno%2Fsuch%2Fpage')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await expect(page.getByText('There is nothing at /no/such/page.')).toBeVisible()
  await expect(page.getByRole('navigation')).toHaveCount(0)
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await expect(page).toHaveURL('/login')

  await open(page, server, await newPerson(server), '/no/such/page')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await expect(main(page)).toBeVisible()
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await expect(page).toHaveURL('/clusters')
})

test('a page without permission redirects users home and guests to the login page', async ({
  page,
  server,
}) => {
  await page.goto('/pages/errors/error-500')
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible()
  await page.goto('/pages/profile')
  await expect(page.getByRole('heading', { name: 'Log in to see your profile' })).toBeVisible()
  await page.goto('/credentials')
  await expect(page).toHaveURL('/login')

  await open(page, server, await newPerson(server), '/credentials')
  await expect(page).toHaveURL('/clusters')
  for (const path of ['/settings', '/account/1', '/stacks', '/trainings']) {
    await page.goto(path)
    await expect(page).toHaveURL('/clusters')
  }
})
