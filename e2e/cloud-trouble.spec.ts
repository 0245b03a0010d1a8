import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { grave, menu, newCloudCluster, startClouds, state } from './clouds'
import { expect, test } from './fixtures'
import { openLive } from './people'
import { inspect } from './screen'
import type { Server } from './server'

test.setTimeout(300_000)

let server: Server
test.beforeAll(async () => {
  server = await startClouds()
})
test.afterAll(() => server.stop())

/** What goes wrong in the simulated cloud from now on. */
async function faults(list: Record<string, { fault: string; times?: number }>): Promise<void> {
  const folder = join(server.dataDir, 'simulated')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'faults.json'), JSON.stringify(list))
}

const newCluster = (name: string, data?: object) => newCloudCluster(server, name, data)

test('a deploy that fails says why and leaves a way out', async ({ page, picture }) => {
  const id = await newCluster('Quota')
  await faults({ [id]: { fault: 'quota', times: 1 } })
  await openLive(page, server, server.admin, `/clusters/${id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy cluster' }).click()
  await state(page, 'Failed')
  await expect(page.getByText('Put the cause right and deploy again', { exact: false })).toBeVisible()
  await inspect(page, picture, 'cloud-failed')
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy cluster' }).click()
  await state(page, 'Available')

  // A change that fails leaves the cluster running, with a warning until the next action.
  await faults({ [id]: { fault: 'capacity', times: 1 } })
  await menu(page, 'Quota', 'Resize')
  await page.getByRole('dialog').getByRole('group', { name: 'Group 1' }).getByLabel('Nodes').fill('2')
  await page.getByRole('dialog').getByRole('button', { name: 'Resize cluster' }).click()
  await expect(page.getByText('The last action did not succeed', { exact: false })).toBeVisible({
    timeout: 90_000,
  })
  await state(page, 'Available')
  await inspect(page, picture, 'cloud-warning', ['desk'])
  await grave(page, 'Quota', 'Force destroy')
  await state(page, 'Destroyed')
})

test('what takes too long is cancelled, and destroyed by force', async ({ page, picture }) => {
  const id = await newCluster('Slow', { disks: [{ name: 'data', size: 10 }] })
  await faults({ [id]: { fault: 'slow' } })
  await openLive(page, server, server.admin, `/clusters/${id}`)
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy cluster' }).click()
  await expect(page.getByText(/Deploying: \d+ of \d+ done/)).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await inspect(page, picture, 'cloud-cancel', ['desk'])
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel what is under way' }).click()
  await expect(page.getByText('Cancelling: it ends in order')).toBeVisible()
  await state(page, 'Failed')
  await faults({})
  await grave(page, 'Slow', 'Force destroy')
  await state(page, 'Destroyed')
})
