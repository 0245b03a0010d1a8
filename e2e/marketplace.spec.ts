import { readFile } from 'node:fs/promises'
import { allowEveryone, confirmByName, menu, runJob, startClouds, state } from './support/clouds'
import { SOAK, expect, test } from './support/fixtures'
import { newPerson, open, openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
// A separate server, because clusters and credentials of other tests change the account's quota and the form's choices.
test.beforeAll(async () => {
  server = await startClouds()
})
test.afterAll(() => server.stop())

test('a user searches the catalog, and upcoming entries cannot be launched', async ({ page, picture }) => {
  await open(page, server, server.admin, '/clusters')
  await page.getByRole('link', { name: 'Marketplace' }).click()
  await expect(page.getByText('7 of 7', { exact: true })).toBeVisible()
  await inspect(page, picture, 'marketplace')
  await page.getByLabel('Platform').selectOption('azure')
  await expect(page.getByText('2 of 7', { exact: true })).toBeVisible()
  await page.getByLabel('Target').selectOption('k-12')
  const upcoming = page.getByRole('button', { name: 'Launch Teaching lab on Azure' })
  await expect(upcoming).toBeDisabled()
  await upcoming.hover()
  await expect(page.getByText('This entry is not available yet').last()).toBeVisible()
  await page.getByPlaceholder('Search the marketplace').fill('no such thing')
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await page.getByPlaceholder('Search the marketplace').fill('graviton')
  await expect(page.getByRole('listitem').filter({ hasText: 'Boots from the public' })).toHaveCount(1)
  // Entering its URL does not launch it either.
  await page.goto(`${server.url}/clusters?new=azure&entry=5`)
  await expect(page.getByText('This cluster cannot be created')).toBeVisible()
})

for (const { entry, platform, regions, zone } of [
  { entry: 'Slurm on AWS', platform: 'aws', regions: 8, zone: null },
  { entry: 'MPI cluster on Azure', platform: 'azure', regions: 2, zone: null },
  { entry: 'Slurm on Google Cloud', platform: 'gcp', regions: 1, zone: 'us-west1-a' },
])
  test(`an admin launches ${entry}`, { tag: SOAK }, async ({ page, picture }) => {
    await openLive(page, server, server.admin, '/clusters?view=marketplace')
    await page.getByRole('link', { name: `Launch ${entry}`, exact: true }).click()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue(entry)
    await expect(page.getByText('Boots from the public Ubuntu', { exact: false })).toBeVisible()
    // The list has only the entry's regions and the placeholder.
    await expect(page.getByLabel('Region').getByRole('option')).toHaveCount(regions + 1)
    if (zone) await expect(page.getByLabel('Zone')).toHaveValue(zone)
    await inspect(page, picture, `marketplace-${platform}`, ['desk'])
    await allowEveryone(page)
    const steps = page.getByRole('navigation', { name: 'Steps' })
    await steps.getByRole('button', { name: 'Summary' }).click()
    await expect(page.getByText('180 GB', { exact: true }).filter({ visible: true }).first()).toBeVisible()
    await expect(page.getByText('600 seconds')).toBeVisible()
    await page.getByRole('button', { name: 'Save and deploy' }).click()
    const deploy = page.getByRole('dialog').getByRole('button', { name: 'Save and deploy' })
    await expect(deploy).toBeEnabled()
    // Only one entry is deployed and runs a job; the server's tests cover deploying on each cloud.
    if (platform !== 'aws') return
    await deploy.click()
    await expect(page.getByRole('heading', { name: entry })).toBeVisible()
    await state(page, 'Available')
    await runJob(server, new URL(page.url()).pathname.split('/')[2] ?? '')
    await confirmByName(page, entry, 'Destroy')
    await state(page, 'Destroyed')
  })

test(
  'an entry enforces its minimum disk size, and has separate sizes for the head node and nodes',
  { tag: SOAK },
  async ({ page, picture }) => {
    await open(page, server, server.admin, '/clusters?new=gcp&entry=4')
    const steps = page.getByRole('navigation', { name: 'Steps' })
    await steps.getByRole('button', { name: 'Head node' }).click()
    const head = page.locator('[data-step="head"]')
    const dialog = page.getByRole('dialog', { name: /^Size of/ })
    await head.getByRole('combobox', { name: 'Size' }).click()
    await expect(dialog.getByRole('status')).toHaveText('5 of 5 sizes')
    await page.keyboard.press('Escape')
    const disk = head.getByLabel('Disk', { exact: true })
    await expect(disk).toHaveValue('180')
    await disk.fill('179')
    await disk.blur()
    await expect(head.getByText('At least 180 GB')).toBeVisible()
    await expect(steps.getByRole('button', { name: 'Head node' })).toHaveAccessibleName(/has errors/)
    await inspect(page, picture, 'marketplace-smallest', ['desk'])
    await disk.fill('200')
    await expect(head.getByText('At least 180 GB')).toHaveCount(0)
    await steps.getByRole('button', { name: 'Nodes' }).click()
    await page.getByRole('region', { name: 'Group 1' }).getByRole('combobox', { name: 'Size' }).click()
    await expect(dialog.getByRole('row', { name: /a2-highgpu-2g/ })).toBeVisible()
    await expect(dialog.getByRole('status')).toHaveText('1 of 1 sizes')
  },
)

test(
  'a cluster is exported as YAML, imported and copied without losing anything',
  { tag: SOAK },
  async ({ page, picture }) => {
    await openLive(page, server, server.admin, '/clusters?new=aws&entry=0')
    await page.getByLabel('Name', { exact: true }).fill('Original')
    await page.getByLabel('Description').fill('two\nlines: ${file("/etc/passwd")}')
    await expect(page.getByLabel('Credential')).toHaveValue(/./)
    const steps = page.getByRole('navigation', { name: 'Steps' })
    await steps.getByRole('button', { name: 'Summary' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Original' })).toBeVisible()
    const downloaded = page.waitForEvent('download')
    await menu(page, 'Original', 'Export as YAML')
    const file = await downloaded
    expect(file.suggestedFilename()).toBe('Original.yaml')
    const text = await readFile(await file.path(), 'utf8')
    expect(text).toContain('# Secrets are not included')

    // The file is imported into a form that is already open.
    await page.goto(`${server.url}/clusters?new=aws`)
    await page.getByRole('button', { name: 'Import YAML' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a cluster' })
    await dialog
      .getByLabel('YAML')
      .fill(text.replace('volume_size: 180', 'volume_size: much').replace('share:', 'shares:'))
    await dialog.getByRole('button', { name: 'Open in form' }).click()
    await expect(dialog.getByRole('alert')).toContainText(/Line \d+: data\.\w+\.volume_size: Enter a number/)
    await inspect(page, picture, 'cluster-import', ['desk'])
    await dialog.getByLabel('YAML').fill(text.replace('name: Original', 'name: From a file'))
    await dialog.getByRole('button', { name: 'Open in form' }).click()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('From a file')
    await expect(page.getByLabel('Description')).toHaveValue('two\nlines: ${file("/etc/passwd")}')
    await steps.getByRole('button', { name: 'Summary' }).click()
    await expect(page.getByText('180 GB', { exact: true }).filter({ visible: true }).first()).toBeVisible()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'From a file' })).toBeVisible()

    await menu(page, 'From a file', 'Duplicate')
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('From a file copy')
    await expect(page.getByLabel('Region')).toHaveValue('us-east-1')
  },
)

test(
  'an admin without a credential is sent to the Credentials Manager',
  { tag: SOAK },
  async ({ page, picture, server: bare }) => {
    await open(page, bare, await newPerson(bare, ['admin']), '/clusters?view=marketplace')
    await expect(page.getByText('No credential for Azure yet').first()).toBeVisible()
    await inspect(page, picture, 'marketplace-no-credential')
    await page.getByRole('link', { name: 'add one in the Credentials Manager' }).first().click()
    await expect(page).toHaveURL(/\/credentials$/)
  },
)

test('a user without a credential is told what to ask for', { tag: SOAK }, async ({ page, picture }) => {
  await open(page, server, await newPerson(server), '/clusters?new=aws')
  await expect(page.getByText('No credential for AWS')).toBeVisible()
  await expect(page.getByText('Ask an admin to add one and share it with you.')).toBeVisible()
  await page.goto(`${server.url}/clusters?view=marketplace`)
  await expect(page.getByRole('button', { name: 'Launch Slurm on AWS', exact: true })).toBeDisabled()
  await expect(page.getByText('No credential for AWS is shared with you. Ask an admin for one.')).toHaveCount(
    2,
  )
  await inspect(page, picture, 'marketplace-not-mine')
})
