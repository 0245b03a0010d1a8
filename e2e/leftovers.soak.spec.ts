import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openWorld, type WorldItem } from '@flotilla/simulated-cloud/world/world'
import { menu, newCloudCluster, startClouds, state } from './support/clouds'
import { expect, test } from './support/fixtures'
import { newPerson, open, openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(async () => {
  server = await startClouds()
})
test.afterAll(() => server.stop())

const folderOf = (cloud: string) => join(server.dataDir, 'simulated', cloud)

/** Adds a tagged resource to the cloud that the console has no record of. */
async function forget(item: Pick<WorldItem, 'id' | 'type' | 'name' | 'kind' | 'attributes'>): Promise<void> {
  await openWorld(folderOf('aws')).add({
    ...item,
    part: false,
    clusterId: null,
    region: 'eu-west-1',
    sizeGb: null,
    power: null,
    seed: { id: item.id, privateIp: '', publicIp: '', token: '' },
    createdAt: Date.now(),
  })
}

test('before any cloud is used, the page says that there is nothing to search', async ({
  page,
  picture,
  server: bare,
}) => {
  await open(page, bare, await newPerson(bare, ['admin']), '/settings')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Leftovers' }).click()
  await expect(page.getByText('Not searched yet')).toBeVisible()
  await inspect(page, picture, 'leftovers-unsearched', ['desk'])
  await page.getByRole('button', { name: 'Search now' }).click()
  await expect(page.getByText('Nowhere to search')).toBeVisible()
})

test('the leftovers list a kept disk with its cluster, and an admin permanently removes it', async ({
  page,
  picture,
}) => {
  const table = page.getByRole('table', { name: 'Leftovers' })
  const disk = table.getByRole('row', { name: /aurora-\w+-data/ })
  const id = await newCloudCluster(server, 'Aurora', { disks: [{ name: 'data', size: 100 }] })
  await openLive(page, server, server.admin, `/clusters/${id}`)
  await test.step('destroy the cluster and keep its disk', async () => {
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deploy cluster' }).click()
    await state(page, 'Available')
    await menu(page, 'Aurora', 'Destroy')
    const dialog = page.getByRole('dialog', { name: 'Destroy Aurora' })
    await dialog.getByRole('checkbox', { name: 'data 100 GB' }).check()
    await expect(dialog.getByText(/under Settings > Leftovers/)).toBeVisible()
    await dialog.getByRole('textbox').fill('Aurora')
    await dialog.getByRole('button', { name: 'Destroy cluster' }).click()
    await state(page, 'Destroyed')
    await expect(page.getByText('1 disk kept, still costs money')).toBeVisible()
    await inspect(page, picture, 'cloud-disk-kept')
    await page.getByRole('link', { name: 'Machines' }).click()
    await expect(page.getByRole('complementary', { name: 'Current price' })).toContainText('1 disk kept')
    // It is on the list immediately, not after the next hourly search.
    await page.getByRole('link', { name: 'See Settings > Leftovers' }).click()
    await expect(disk).toContainText('Aurora')
    await expect(page.getByText(/^Last searched/)).toBeVisible()
  })
  await forget({ id: 'vpc-0f0f', type: 'aws_vpc', name: 'forgotten', kind: 'network', attributes: {} })
  await forget({
    id: 'i-0a0a',
    type: 'aws_instance',
    name: 'forgotten-node1',
    kind: 'machine',
    attributes: { instance_type: 'c5.xlarge', vpc_id: 'vpc-0f0f' },
  })

  const unreadable = join(folderOf('azure'), 'items', 'unreadable.json')
  await test.step('finds leftovers, with prices where available', async () => {
    await page.getByRole('button', { name: 'Search now' }).click()
    await expect(disk).toContainText('Disk')
    await expect(disk).toContainText('Aurora')
    await expect(disk).toContainText('no price')
    await expect(table.getByRole('row', { name: /forgotten-node1/ })).toContainText('$0.19')
    await expect(
      page.getByText(/^3 leftovers: at least \$0\.19\d* per hour, .*estimate, not billed$/),
    ).toBeVisible()
    await expect(page.getByText(/^Last searched/)).toBeVisible()
  })

  await test.step('names a cloud that does not respond and lists the others', async () => {
    await newCloudCluster(
      server,
      'Azura',
      {
        server: { instance_id: 'Standard_D4s_v5' },
        node: { group: [{ count: 1, instance_id: 'Standard_D4s_v5' }] },
      },
      { provider: 'azure', region: 'eastus' },
    )
    await mkdir(join(unreadable, '..'), { recursive: true })
    await writeFile(unreadable, '{')
    await page.getByRole('button', { name: 'Search now' }).click()
    await expect(page.getByText('our azure could not be searched')).toBeVisible()
    await expect(disk).toBeVisible()
    await inspect(page, picture, 'leftovers')
  })

  await test.step('keeps a resource that is still in use and shows the reason', async () => {
    await table.getByRole('checkbox', { name: 'Select forgotten', exact: true }).check()
    await disk.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove 2 leftovers' })
    await expect(dialog.getByText(/^Disk aurora-\w+-data of Aurora, 100 GB/)).toBeVisible()
    await inspect(page, picture, 'leftovers-remove')
    await dialog.getByRole('textbox').fill('remove 2')
    await dialog.getByRole('button', { name: 'Remove 2 leftovers' }).click()
    const result = page.getByRole('dialog', { name: '1 of 2 failed' })
    await expect(result.getByText('Network forgotten')).toBeVisible()
    await expect(result.getByText(/vpc-0f0f is still used by aws_instance i-0a0a/)).toBeVisible()
    await expect(page.getByText('Removed 1 leftover')).toBeVisible()
    await inspect(page, picture, 'leftovers-removed', ['desk'])
    await result.getByRole('button', { name: 'Close', exact: true }).last().click()
    await expect(disk).toBeHidden()
  })

  await test.step('removes everything, in the cloud too', async () => {
    // The leftover that could not be removed is still selected.
    await table.getByRole('checkbox', { name: 'Select forgotten', exact: true }).uncheck()
    await table
      .getByRole('button', { name: /forgotten-node1/ })
      .last()
      .click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    const one = page.getByRole('dialog', { name: 'Remove 1 leftover' })
    await one.getByRole('textbox').fill('forgotten-node1')
    await one.getByRole('button', { name: 'Remove 1 leftover' }).click()
    await expect(page.getByText('Removed Machine forgotten-node1')).toBeVisible()
    await table.getByRole('checkbox', { name: 'Select forgotten', exact: true }).check()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await one.getByRole('textbox').fill('forgotten')
    await one.getByRole('button', { name: 'Remove 1 leftover' }).click()
    await expect(page.getByText('No leftovers in the clouds that responded')).toBeVisible()
    const left = await openWorld(folderOf('aws')).list()
    expect(left.filter(({ part }) => !part)).toEqual([])
    await rm(unreadable)
    await page.getByRole('button', { name: 'Search now' }).click()
    await expect(page.getByText('No leftovers', { exact: true })).toBeVisible()
    await inspect(page, picture, 'leftovers-none')
  })
})
