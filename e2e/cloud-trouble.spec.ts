import { confirmByName, deployCluster, menu, newCloudCluster, setFaults, state } from './support/clouds'
import { SOAK, expect, test } from './support/fixtures'
import { openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ clouds }) => {
  server = clouds
})

const newCluster = (name: string, data?: object) => newCloudCluster(server, name, data)

test('a failed deployment shows its cause and the next step', { tag: SOAK }, async ({ page, picture }) => {
  const id = await newCluster('Quota')
  await setFaults(server, { [id]: { fault: 'quota', times: 1 } })
  await openLive(page, server, server.admin, `/clusters/${id}`)
  await deployCluster(page)
  await state(page, 'Failed')
  await expect(page.getByText('Fix the cause and deploy again', { exact: false })).toBeVisible()
  await inspect(page, picture, 'cloud-failed')
  await deployCluster(page)
  await state(page, 'Available')

  // A change that fails leaves the cluster running, with a warning until the next action.
  await setFaults(server, { [id]: { fault: 'quota', times: 1 } })
  await menu(page, 'Quota', 'Resize')
  await page.getByRole('dialog').getByRole('group', { name: 'Group 1' }).getByLabel('Nodes').fill('2')
  await page.getByRole('dialog').getByRole('button', { name: 'Resize cluster' }).click()
  await expect(page.getByText('The last action failed', { exact: false })).toBeVisible({
    timeout: 180_000,
  })
  await state(page, 'Available')
  await inspect(page, picture, 'cloud-warning', ['desk'])
  await confirmByName(page, 'Quota', 'Force destroy')
  await state(page, 'Destroyed')
})

test('a slow deployment is canceled and force destroyed', { tag: SOAK }, async ({ page, picture }) => {
  const id = await newCluster('Slow', { disks: [{ name: 'data', size: 10 }] })
  await setFaults(server, { [id]: { fault: 'slow' } })
  await openLive(page, server, server.admin, `/clusters/${id}`)
  await deployCluster(page)
  await expect(page.getByText(/Deploying: \d+ of \d+ done/)).toBeVisible({ timeout: 180_000 })
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await inspect(page, picture, 'cloud-cancel', ['desk'])
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel action' }).click()
  await expect(page.getByText('Canceling the action')).toBeVisible()
  await state(page, 'Failed')
  await setFaults(server, {})
  await confirmByName(page, 'Slow', 'Force destroy')
  await state(page, 'Destroyed')
})
