import { api } from '@flotilla/contract/api'
import type { ProviderId } from '@flotilla/contract/site/config'
import { API_KEY, startMaas } from '../apps/server/test/support/clouds/maas'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, newPerson, open } from './support/people'
import { inspect } from './support/screen'
import { startServer, type Server } from './support/server'

const addCredential = async (
  server: Server,
  provider: ProviderId,
  data: Record<string, string>,
  name = `our ${provider}`,
) => call(server, api.credentials.create, { body: { name, provider, data } }, await adminToken(server))

test(
  'an admin sets, keeps and removes the prices of local clusters',
  { tag: SOAK },
  async ({ page, server }) => {
    await open(page, server, await newPerson(server, ['admin']), '/settings/cloud')
    const core = page.getByLabel('Price per core-hour (USD)')
    await core.fill('-1')
    await page.getByRole('button', { name: 'Save prices' }).click()
    await expect(page.getByText('Enter a price')).toBeVisible()
    await core.fill('0.035')
    await page.getByRole('button', { name: 'Save prices' }).click()
    await expect(page.getByText('Prices saved')).toBeVisible()
    await page.reload()
    await expect(core).toHaveValue('0.035')
    await core.fill('')
    await page.getByRole('button', { name: 'Save prices' }).click()
    await expect(page.getByText('Prices saved')).toBeVisible()
    await page.reload()
    await expect(core).toHaveValue('')
  },
)

test(
  'an admin sets, keeps and removes the Torque package source',
  { tag: SOAK },
  async ({ page, server, picture }) => {
    await open(page, server, await newPerson(server, ['admin']), '/settings/cloud')
    const save = page.getByRole('button', { name: 'Save source' })
    const file = page.getByLabel('Source file')
    await expect(page.getByText('No source is set.')).toBeVisible()
    await file.fill('deb https://user:secret@repo.example.org/torque stable main')
    await save.click()
    await expect(file).toHaveAttribute('aria-invalid', 'true')
    await file.fill('deb [trusted=yes] https://repo.example.org/torque stable main')
    for (const [label, name] of [
      ['Head node packages', 'torque-server'],
      ['Node packages', 'torque-mom'],
    ] as const) {
      await page.getByLabel(label, { exact: true }).fill(name)
      await page.getByLabel(label, { exact: true }).press('Enter')
    }
    await save.click()
    await expect(page.getByText('Package source saved')).toBeVisible()
    await page.reload()
    await expect(file).toHaveValue(/^deb \[trusted=yes\] https:\/\/repo\.example\.org\/torque stable main\s$/)
    await inspect(page, picture, 'settings-cloud')
    await page.getByRole('button', { name: 'Remove source' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove source' }).click()
    await expect(page.getByText('Package source removed')).toBeVisible()
    await expect(page.getByText('No source is set.')).toBeVisible()
    await expect(file).toHaveValue('')
  },
)

test('AWS shapes are synced once a credential and a region are chosen', { tag: SOAK }, async ({ page }) => {
  const server = await startServer({ env: { CLOUD: 'simulated' } })
  try {
    await addCredential(server, 'aws', { access_key: 'AKIAEXAMPLE', secret_key: 'secret' })
    await open(page, server, await newPerson(server, ['admin']), '/settings/cloud')
    const sync = page.getByRole('button', { name: 'Sync shapes' })
    await sync.click()
    await expect(page.getByText('Please select an AWS credential to sync shapes')).toBeVisible()
    await expect(page.getByText('Please select a region to sync shapes')).toBeVisible()
    await page.getByLabel('Credential', { exact: true }).selectOption({ label: 'our aws, AWS' })
    await page.getByLabel('Region').selectOption('eu-west-1')
    await expect(page.getByText(/^\d+ prices from skypilot.*, dated 2026-08-22\.$/)).toBeVisible()
    await sync.click()
    await expect(page.getByText('Cloud Provider Shapes Synced Successfully')).toBeVisible()
    await expect(
      page.getByText(/^\d+ prices from the simulated AWS.*, dated 20\d\d-\d\d-\d\d\.$/),
    ).toBeVisible()
    await page.getByLabel('Region').selectOption('us-gov-east-1')
    await expect(page.getByText('No prices for this region yet.')).toBeVisible()
  } finally {
    await server.stop()
  }
})

test(
  'an admin lists ACM machines, syncs their shapes, and releases one',
  { tag: SOAK },
  async ({ page, server, picture }) => {
    const admin = await newPerson(server, ['admin'])
    await open(page, server, admin, '/settings/acm')
    await expect(page.getByText('No ACM credential')).toBeVisible()
    const maas = await startMaas()
    try {
      await addCredential(server, 'maas', { api_url: maas.url, api_key: API_KEY })
      await page.reload()
      const table = page.getByRole('table', { name: 'ACM machines' })
      await expect(table.getByRole('row', { name: /node3/ })).toContainText('Ready')
      await expect(page.getByRole('table', { name: 'ACM shapes' }).getByRole('row')).not.toHaveCount(1)
      await expect(page.getByRole('table', { name: 'ACM images' }).getByRole('row')).not.toHaveCount(1)
      await page.getByRole('button', { name: 'Sync ACM shapes' }).click()
      await expect(page.getByText('ACM Shapes Synced Successfully')).toBeVisible()

      await inspect(page, picture, 'settings-acm')

      await table.getByRole('checkbox', { name: /node3/ }).check()
      await expect(page.getByRole('button', { name: 'Release' })).toBeDisabled()
      await table.getByRole('checkbox', { name: /node3/ }).uncheck()
      await table.getByRole('checkbox', { name: /node2/ }).check()
      await page.getByRole('button', { name: 'Release' }).click()
      const dialog = page.getByRole('dialog')
      await expect(dialog).toContainText('node2 (owner: console)')
      await dialog.getByRole('button', { name: 'Release 1 machine' }).click()
      await expect(page.getByText('All Nodes Released Successfully')).toBeVisible()
      await expect(table.getByRole('row', { name: /node2/ })).toContainText('Releasing')

      // With several sites, the page shows one of them, which is part of the URL.
      await addCredential(server, 'maas', { api_url: maas.url, api_key: 'a:wrong:key' }, 'another maas')
      await page.reload()
      const site = page.getByLabel('Credential', { exact: true })
      await site.selectOption({ label: 'another maas' })
      await expect(page.getByRole('alert').filter({ hasText: 'ACM' })).toBeVisible()
      await page.reload()
      await expect(site.getByRole('option', { selected: true })).toHaveText('another maas')
      await inspect(page, picture, 'settings-acm-refused', ['desk'])
      await site.selectOption({ label: 'our maas' })
      await expect(table.getByRole('row', { name: /node3/ })).toBeVisible()
    } finally {
      await maas.close()
    }
  },
)

test(
  'forms offer the shapes and images of a MAAS, and a text field when it does not respond',
  { tag: SOAK },
  async ({ page, server, picture }) => {
    const maas = await startMaas()
    try {
      await addCredential(server, 'maas', { api_url: maas.url, api_key: API_KEY }, 'right maas')
      await addCredential(server, 'maas', { api_url: maas.url, api_key: 'a:wrong:key' }, 'wrong maas')
      await open(page, server, await newPerson(server, ['admin']), '/clusters?new=maas')
      const credential = page.getByLabel('Credential', { exact: true })
      const head = page.locator('[data-step="head"]')
      const step = (name: string) =>
        page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name }).click()
      await credential.selectOption({ label: 'wrong maas' })
      await step('Head node')
      // The form offers the shapes of the last sync, but no list of images.
      await expect(
        head.getByText(/Could not list what your MAAS offers: .+ choose from the last synced shapes/),
      ).toBeVisible()
      await head.getByRole('combobox', { name: 'Shape' }).click()
      const sizes = page.getByRole('dialog', { name: 'Size of the head node' })
      await sizes.getByRole('button', { name: 'Choose compute (tag)' }).click()
      await head.getByText('More', { exact: true }).click()
      await expect(
        head.getByText(/Could not list what your MAAS offers: .+ enter an image name/),
      ).toBeVisible()
      await head.getByRole('textbox', { name: 'Image' }).fill('custom/typed')
      await inspect(page, picture, 'cloud-maas-unanswered', ['desk'])

      await step('Basics')
      await credential.selectOption({ label: 'right maas' })
      await step('Head node')
      await expect(head.getByRole('combobox', { name: 'Shape' })).toContainText('tag:compute')
      await head.getByRole('combobox', { name: 'Shape' }).click()
      await expect(sizes.getByRole('row', { name: /gpu \(tag\)/ })).toContainText('1 of 1 free')
      await inspect(page, picture, 'cloud-maas-shapes')
      await sizes.getByRole('button', { name: 'Choose gpu (tag)' }).click()
      await expect(head.getByRole('combobox', { name: 'Shape' })).toContainText(
        '64 threads, 512 GB, 1 of 1 free',
      )
      const image = head.getByLabel('Image')
      await expect(image).toHaveValue('custom/typed')
      // The typed text is kept, and the form offers the list again.
      await head.getByRole('button', { name: 'Choose from list' }).click()
      await image.selectOption({ label: 'custom/hpc (amd64)' })
      await inspect(page, picture, 'cloud-maas-image', ['desk'])
      await image.selectOption({ label: 'Enter another image name' })
      await head.getByRole('textbox', { name: 'Image' }).fill('custom/mine')
      await head.getByRole('button', { name: 'Choose from list' }).click()
      await expect(image.getByRole('option', { selected: true })).toHaveText('custom/mine (not listed)')
    } finally {
      await maas.close()
    }
  },
)

test('the Doctor tab lists every component, including the database and email', async ({
  page,
  server,
  picture,
}) => {
  await open(page, server, await newPerson(server, ['admin']), '/settings/doctor')
  for (const part of ['Database', 'Storage', 'OpenTofu', 'Packer', 'Mail'])
    await expect(page.getByRole('heading', { name: part })).toBeVisible()
  await inspect(page, picture, 'settings-doctor')
})
