import { api } from '@flotilla/contract/api'
import { newCloudCluster, state } from './support/clouds'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ clouds }) => {
  server = clouds
})

test('a plan without changes says so and has no table', { tag: SOAK }, async ({ page, picture }) => {
  const token = await adminToken(server)
  const id = await newCloudCluster(server, 'Same')
  await call(server, api.clusters.deploy, { body: { id } }, token)
  await openLive(page, server, server.admin, `/clusters/${id}`)
  await state(page, 'Available')
  // Packages are not cloud resources: running machines install them.
  const cluster = await call(server, api.clusters.view, { id }, token)
  if (cluster.provider === 'local') throw new Error('The cluster is not in a cloud')
  const { provider, credential_id, info, data } = cluster
  const edited = {
    id,
    name: 'Same',
    provider,
    credential_id: credential_id ?? '',
    info,
    data: { ...data, packages: ['htop'] },
  }
  await call(server, api.clusters.update, { body: edited }, token)
  await call(server, api.clusters.deploy, { body: { id, onlyplan: true } }, token)
  await page.goto(`${server.url}/clusters/${id}/plan`)
  await expect(page.getByText('No changes in the cloud')).toBeVisible({ timeout: 180_000 })
  await page.getByRole('button', { name: 'Apply changes', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Apply changes to Same' })
  await expect(dialog.getByText('No changes in the cloud')).toBeVisible()
  await expect(dialog.getByRole('table')).toHaveCount(0)
  await inspect(page, picture, 'nothing-to-change')
})

test(
  'before sizes are chosen, neither prices nor their source are shown',
  { tag: SOAK },
  async ({ page }) => {
    await openLive(page, server, server.admin, '/clusters?new=1')
    await page.getByRole('radio', { name: 'AWS' }).click()
    const price = page.getByRole('complementary', { name: 'Price' })
    await expect(price.getByText('Choose a region and sizes to see a price.')).toBeVisible()
    await expect(price.getByText(/no price/)).toHaveCount(0)
    await expect(price.getByText(/Source:/)).toHaveCount(0)
  },
)

test(
  'the resources that block deleting a credential are linked',
  { tag: SOAK },
  async ({ page, picture }) => {
    const token = await adminToken(server)
    const cluster = await newCloudCluster(server, 'User of it')
    const credentials = await call(server, api.credentials.list, {}, token)
    const credential_id = credentials.find(({ provider }) => provider === 'aws')?.id ?? ''
    const data = { region_id: 'us-east-1', instance_id: 't3.large', manager: 'slurm' } as const
    const body = { name: 'Image of it', provider: 'aws', credential_id, data } as const
    const stack = await call(server, api.stacks.create, { body }, token)
    await openLive(page, server, server.admin, '/credentials')
    await page.getByRole('button', { name: 'Actions for our aws', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete our aws' })
    await expect(dialog.getByRole('link', { name: 'User of it' })).toHaveAttribute(
      'href',
      `/clusters/${cluster}`,
    )
    await inspect(page, picture, 'credential-uses')
    await dialog.getByRole('link', { name: 'Image of it' }).click()
    await expect(page).toHaveURL(new RegExp(`/stacks/${stack.id}`))
  },
)
