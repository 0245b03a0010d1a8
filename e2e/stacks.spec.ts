import { api } from '@flotilla/contract/api'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { chooseSize } from './support/clouds'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, newPerson, open, openLive, type Person } from './support/people'
import { inspect } from './support/screen'
import { startServer, type Server } from './support/server'

/** A separate site with simulated clouds. */
let server: Server
let maria: Person
test.beforeAll(async () => {
  server = await startServer({ env: { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: '0.5' } })
  maria = await newPerson(server, ['instructor', 'user'])
  const token = await adminToken(server)
  const data = { access_key: 'AKIAIOSFODNN7EXAMPLE', secret_key: 'wJalrXUtnFEMI/K7MDENG' }
  const shared = { name: 'Teaching', provider: 'aws' as const, data, collaborators: [maria.username] }
  await call(server, api.credentials.create, { body: shared }, token)
  const maas = {
    name: 'Your machines',
    provider: 'maas' as const,
    data: { api_url: 'http://maas.example.org/MAAS', api_key: 'a:b:c' },
    collaborators: [maria.username],
  }
  await call(server, api.credentials.create, { body: maas }, token)
})
test.afterAll(() => server.stop())

const status = (page: Page, word: string) => page.getByRole('main').getByText(word, { exact: true }).first()

/** Fills in the required fields of an image on AWS. */
async function fill(page: Page, name: string) {
  await page.getByRole('radio', { name: 'AWS' }).check()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Credential').selectOption({ label: 'Teaching' })
  await page.getByLabel('Region').selectOption('us-east-1')
  await chooseSize(page, 'Machine', 't3.large')
  await page.getByRole('radio', { name: 'Slurm' }).check()
}

test('an instructor defines and builds an image, and everyone involved sees its progress', async ({
  page,
  picture,
  browser,
}) => {
  await open(page, server, maria, '/stacks')
  await expect(page.getByText('No stacks yet')).toBeVisible()
  await inspect(page, picture, 'stacks-empty')
  const context = await browser.newContext()
  const watcher = await context.newPage()
  await openLive(watcher, server, server.admin, '/stacks')

  await page.getByRole('link', { name: 'New stack' }).click()
  await page.getByRole('button', { name: 'Save and build' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toHaveAccessibleDescription(
    'Min character length is 2',
  )
  await fill(page, 'Course image')
  await page.getByRole('button', { name: 'Write script' }).first().click()
  const editor = page.getByRole('textbox', { name: 'Node provisioner script' })
  await editor.click()
  await editor.press('Control+End')
  await editor.pressSequentially('tar -xf tools.tar -C /opt')
  await page
    .getByLabel('Data files of Node provisioner', { exact: true })
    .setInputFiles({ name: 'tools.tar', mimeType: 'application/x-tar', buffer: Buffer.alloc(2048, 7) })
  await expect(page.getByRole('listitem').filter({ hasText: 'tools.tar' })).toContainText('2 KB')
  await inspect(page, picture, 'stack-form')
  await page.getByRole('button', { name: 'Save and build' }).click()

  await expect(page.getByRole('heading', { name: 'Course image' })).toBeVisible()
  await expect(page.getByRole('log')).toContainText('[simulated]')
  // On a busy machine, the image may already be built.
  await expect(watcher.getByRole('row', { name: /Course image/ })).toContainText(/Building|Built/)
  await picture('stack-building')
  await expect(status(page, 'Built')).toBeVisible()
  await expect(page.getByText(/^ami-0/).first()).toBeVisible()
  await expect(page.getByRole('log')).toContainText('The image of the node machines is ami-0')
  await expect(watcher.getByRole('row', { name: /Course image/ })).toContainText('Built')
  await inspect(page, picture, 'stack-built')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download nodeProvisioner.sh' }).click()
  expect(await readFile(await (await saved).path(), 'utf8')).toBe(
    '#!/bin/sh\nset -e\ntar -xf tools.tar -C /opt',
  )
  await inspect(watcher, picture, 'stacks-list')
  await context.close()
})

test(
  'a build with manual customization waits, shows how to log in, and captures the image',
  { tag: SOAK },
  async ({ page, picture }) => {
    await open(page, server, maria, '/stacks/new')
    await fill(page, 'By hand')
    await page.getByRole('switch', { name: 'Customize manually' }).check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(status(page, 'Not built')).toBeVisible()
    await page.getByRole('button', { name: 'Build', exact: true }).click()
    await expect(page.getByRole('dialog')).toContainText('stays open for you to customize')
    await page.getByRole('button', { name: 'Build image' }).click()
    await expect(page.getByText('The machine is ready to customize').first()).toBeVisible()
    await expect(page.getByText(/^ssh -i .+\.pem ubuntu@198\.18\./)).toBeVisible()
    await inspect(page, picture, 'stack-customize')
    await page.getByRole('button', { name: 'Finish changes' }).click()
    await page.getByRole('button', { name: 'Capture image' }).click()
    await expect(status(page, 'Built')).toBeVisible()
    await expect(page.getByText(/^ssh -i/)).toBeHidden()
  },
)

test(
  'a build can be canceled, and an edited stack says that its image is outdated',
  { tag: SOAK },
  async ({ page, picture }) => {
    await open(page, server, maria, '/stacks/new')
    await fill(page, 'Changed mind')
    await page.getByRole('switch', { name: 'Customize manually' }).check()
    await page.getByRole('button', { name: 'Save and build' }).click()
    await expect(page.getByText('The machine is ready to customize').first()).toBeVisible()
    await page.getByRole('button', { name: 'Cancel build' }).click()
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Keep building' })).toBeVisible()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel build' }).click()
    await expect(page.getByText('The last build was canceled')).toBeVisible()
    await expect(status(page, 'Canceled')).toBeVisible()
    await expect(page.getByText('Failed', { exact: true })).toHaveCount(0)
    await inspect(page, picture, 'stack-canceled', ['desk'])

    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('switch', { name: 'Customize manually' }).uncheck()
    await page.getByRole('button', { name: 'Save and build' }).click()
    await expect(status(page, 'Built')).toBeVisible()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('radio', { name: 'Built-in executor' }).check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByText('Edited since it was built')).toBeVisible()
  },
)

test(
  'an owner shares a stack, and deleting it lists the resources that stay in the cloud',
  { tag: SOAK },
  async ({ page, picture }) => {
    const ada = await newPerson(server, ['instructor'])
    await open(page, server, maria, '/stacks/new')
    await fill(page, 'Passing')
    await page.getByRole('button', { name: 'Save and build' }).click()
    await expect(status(page, 'Built')).toBeVisible()
    await page.getByRole('button', { name: 'More actions for Passing' }).click()
    await page.getByRole('menuitem', { name: 'Share' }).click()
    await page.getByRole('dialog').getByLabel('Shared with').fill(ada.username)
    await page.getByRole('dialog').getByLabel('Shared with').press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Sharing updated')).toBeVisible()

    await page.getByRole('button', { name: 'More actions for Passing' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await expect(page.getByRole('dialog')).toContainText('stay in the cloud')
    await inspect(page, picture, 'stack-delete', ['desk'])
    await page.getByRole('button', { name: 'Delete stack' }).click()
    await expect(page.getByText('Stack Deleted')).toBeVisible()
    await expect(page).toHaveURL(/\/stacks$/)
  },
)

test('a collaborator is told who can build the stack', { tag: SOAK }, async ({ page, picture }) => {
  const ada = await newPerson(server, ['instructor'])
  const token = await adminToken(server)
  const keys = await call(server, api.credentials.list, {}, token)
  const credential_id = keys.find(({ provider }) => provider === 'aws')?.id ?? ''
  const stack = { name: 'Not mine', provider: 'aws' as const, credential_id, collaborators: [ada.username] }
  const { id } = await call(server, api.stacks.create, { body: stack }, token)
  await open(page, server, ada, `/stacks/${id}`)
  await expect(page.getByText(/New clusters can use it once the owner, \w+, has built it/)).toBeVisible()
  await inspect(page, picture, 'stack-not-mine', ['desk'])
})

test('a MAAS stack uses an image from the MAAS', { tag: SOAK }, async ({ page, picture }) => {
  await open(page, server, maria, '/stacks/new')
  await page.getByRole('radio', { name: 'ACM' }).check()
  await page.getByLabel('Name', { exact: true }).fill('Bare metal')
  await page.getByLabel('Credential').selectOption({ label: 'Your machines' })
  await page.getByLabel('Builder').fill('market')
  const image = page.getByLabel('Source image', { exact: true })
  await image.selectOption('ubuntu/noble')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('from market')).toBeVisible()
  await page.getByRole('link', { name: 'Edit' }).click()
  await expect(page.getByLabel('Builder')).toHaveValue('market')
  await expect(image).toHaveValue('ubuntu/noble')
  await image.selectOption({ label: 'Enter another image name' })
  await image.fill('none/such')
  await inspect(page, picture, 'stack-form-maas', ['desk'])
  await page.getByRole('button', { name: 'Save and register' }).click()
  await expect(page.getByText(/MAAS has no image none\/such/).first()).toBeVisible()
})
