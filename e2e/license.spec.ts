import { api } from '@flotilla/contract/api'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { makeLicense } from './support/license-file'
import { newPerson, open } from './support/people'
import { inspect } from './support/screen'
import { startServer, type Server } from './support/server'
import { writeConfig } from './support/site-config'

const card = (page: Page) => page.getByRole('alert')
const loginHeading = (page: Page) => page.getByRole('heading', { name: 'Log in' })

test('the app is not shown before the license check completes', async ({ page }) => {
  let respond = () => {}
  const mayRespond = new Promise<void>((resolve) => (respond = resolve))
  await page.route(`**${api.license.view.path}`, async (route) => {
    await mayRespond
    await route.continue()
  })
  const requested = page.waitForRequest(`**${api.license.view.path}`)
  await page.goto('/login')
  await requested
  await expect(page.getByRole('status')).toHaveText('Loading')
  await expect(loginHeading(page)).toHaveCount(0)
  respond()
  await expect(loginHeading(page)).toBeVisible()
})

test(
  'an unreachable server is reported with hints, and the page recovers automatically',
  { tag: SOAK },
  async ({ page, server }) => {
    await writeConfig(server.dataDir, { updateInterval: 1000 })
    await page.route(`**${api.license.view.path}`, (route) => route.abort('connectionrefused'))
    await page.goto('/login')
    await expect(
      page.getByRole('heading', {
        name: 'Something went wrong, if the problem persists please contact support.',
      }),
    ).toBeVisible()
    await expect(card(page)).toContainText('Network Error')
    await expect(card(page).getByRole('listitem')).toHaveText([
      'Check your internet connection',
      'Ensure the server is reachable',
      'Clear cache and cookies',
    ])
    await page.unroute(`**${api.license.view.path}`)
    await expect(loginHeading(page)).toBeVisible()
  },
)

test.describe('license files', () => {
  let license: Awaited<ReturnType<typeof makeLicense>>
  let server: Server
  test.beforeAll(async () => {
    license = await makeLicense()
    await license.install({ type: 'Multi-User' })
    server = await startServer({ env: license.env })
    await writeConfig(server.dataDir, { updateInterval: 1000 })
  })
  test.afterAll(() => server.stop())

  for (const [what, terms] of [
    ['expired', { from: '2020-01-01', until: '2021-01-01' }],
    ['is not valid yet', { from: '2098-01-01', until: '2099-01-01' }],
  ] as const) {
    const only = what === 'expired' ? {} : { tag: SOAK }
    test(`a license that ${what} stops the app until it is replaced`, only, async ({ page }) => {
      await license.install({ type: 'Multi-User', ...terms })
      await page.goto(server.url)
      await expect(card(page)).toContainText('Invalid License')
      await expect(card(page)).toContainText(
        'The license is invalid, please request the administrator to update it.',
      )
      await expect(card(page).getByRole('listitem')).toHaveText(
        `The license ${what === 'expired' ? 'has expired' : what}`,
      )
      await expect(page.getByRole('link', { name: 'Contact support' })).toBeVisible()

      const loaded = page.waitForEvent('load')
      await page.getByRole('button', { name: 'Try again' }).click()
      await loaded
      await expect(card(page)).toContainText('Invalid License')

      await license.install({ type: 'Multi-User' })
      await expect(loginHeading(page)).toBeVisible()
    })
  }
})

test(
  'an admin uploads or pastes a license; an invalid one is rejected with the cause',
  { tag: SOAK },
  async ({ page, server, picture }) => {
    const license = await makeLicense()
    const { LICENSE_FILE: file = '', LICENSE_PUBLIC_KEY_FILE: key = '' } = license.env
    await license.install({ type: 'Multi-User', from: '2020-01-01', until: '2021-01-01' })
    await open(page, server, await newPerson(server, ['admin']), '/settings/license')
    const field = page.getByLabel('License', { exact: true })
    const install = page.getByRole('button', { name: 'Install license' })
    await page.getByLabel('License file').setInputFiles(file)
    await page.getByLabel('Issuer’s public key').fill(await readFile(key, 'utf8'))
    await install.click()
    await expect(field).toHaveAccessibleDescription(/Invalid License\. The license has expired\./)
    await inspect(page, picture, 'settings-license')
    await license.install({ type: 'Enterprise' })
    await field.fill(await readFile(file, 'utf8'))
    await install.click()
    await expect(page.getByText('License installed')).toBeVisible()
    await expect(page.getByText('Enterprise', { exact: true })).toBeVisible()
    await expect(page.getByText('Example University')).toBeVisible()
    await page.getByRole('button', { name: 'Remove license' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove license' }).click()
    await expect(page.getByText('License removed')).toBeVisible()
  },
)
