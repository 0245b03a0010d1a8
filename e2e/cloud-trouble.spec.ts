import { api } from '@flotilla/contract/api'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { confirmByName, menu, newCloudCluster, startClouds, state } from './clouds'
import { expect, test } from './fixtures'
import { adminToken, call, openLive } from './people'
import { inspect } from './screen'
import type { Server } from './server'

let server: Server
test.beforeAll(async () => {
  server = await startClouds()
})
test.afterAll(() => server.stop())

/** Sets which faults the simulated cloud has from now on. */
async function faults(list: Record<string, { fault: string; times?: number }>): Promise<void> {
  const folder = join(server.dataDir, 'simulated')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'faults.json'), JSON.stringify(list))
}

async function deploy(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy cluster' }).click()
}

const newCluster = (name: string, data?: object) => newCloudCluster(server, name, data)

test('a failed deploy explains the cause and the next step', async ({ page, picture }) => {
  const id = await newCluster('Quota')
  await faults({ [id]: { fault: 'quota', times: 1 } })
  await openLive(page, server, server.admin, `/clusters/${id}`)
  await deploy(page)
  await state(page, 'Failed')
  await expect(page.getByText('Fix the cause and deploy again', { exact: false })).toBeVisible()
  await inspect(page, picture, 'cloud-failed')
  await deploy(page)
  await state(page, 'Available')

  // A change that fails leaves the cluster running, with a warning until the next action.
  await faults({ [id]: { fault: 'capacity', times: 1 } })
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

test('a slow deploy is canceled and force destroyed', async ({ page, picture }) => {
  const id = await newCluster('Slow', { disks: [{ name: 'data', size: 10 }] })
  await faults({ [id]: { fault: 'slow' } })
  await openLive(page, server, server.admin, `/clusters/${id}`)
  await deploy(page)
  await expect(page.getByText(/Deploying: \d+ of \d+ done/)).toBeVisible({ timeout: 180_000 })
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await inspect(page, picture, 'cloud-cancel', ['desk'])
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel action' }).click()
  await expect(page.getByText('Canceling the action')).toBeVisible()
  await state(page, 'Failed')
  await faults({})
  await confirmByName(page, 'Slow', 'Force destroy')
  await state(page, 'Destroyed')
})

test('every other cloud failure explains the cause and can be recovered from', async ({ page }) => {
  const names = ['Key', 'Boot', 'Crash', 'Lost', 'Drift', 'Leak'] as const
  const ids = {} as Record<(typeof names)[number], string>
  for (const name of names) ids[name] = await newCluster(name, { disks: [{ name: 'data', size: 10 }] })
  await faults({
    [ids.Key]: { fault: 'badCredential', times: 1 },
    [ids.Boot]: { fault: 'bootTimeout', times: 1 },
    [ids.Crash]: { fault: 'crash', times: 1 },
    [ids.Lost]: { fault: 'stateLost', times: 1 },
  })
  const token = await adminToken(server)
  for (const id of Object.values(ids)) await call(server, api.clusters.deploy, { body: { id } }, token)

  for (const [name, message] of [
    ['Key', /credential/i],
    ['Boot', /took too long/i],
    ['Lost', /could not save the state of what it created in the cloud/],
  ] as const)
    await test.step(name, async () => {
      await openLive(page, server, server.admin, `/clusters/${ids[name]}`)
      await state(page, 'Failed')
      await expect(page.getByRole('main').getByText(message).first()).toBeVisible()
      await deploy(page)
      await state(page, 'Available')
    })
  await test.step('Crash: it resumes automatically', async () => {
    await openLive(page, server, server.admin, `/clusters/${ids.Crash}`)
    await state(page, 'Available')
  })
  await test.step('Drift: the plan restores what someone removed', async () => {
    await openLive(page, server, server.admin, `/clusters/${ids.Drift}`)
    await state(page, 'Available')
    await faults({ [ids.Drift]: { fault: 'drift', times: 1 } })
    await menu(page, 'Drift', 'Plan')
    await page.getByRole('dialog').getByRole('button', { name: 'Plan cluster' }).click()
    const plan = page.getByRole('table', { name: 'Planned changes' })
    await expect(plan.getByRole('row', { name: /Add node node1/ })).toBeVisible({ timeout: 180_000 })
  })
  await test.step('Leak: leftover resources are listed and removed by force destroy', async () => {
    await openLive(page, server, server.admin, `/clusters/${ids.Leak}`)
    await state(page, 'Available')
    await faults({ [ids.Leak]: { fault: 'leakedVolume', times: 1 } })
    await confirmByName(page, 'Leak', 'Destroy')
    await state(page, 'Failed')
    await expect(page.getByRole('main').getByText('still in the cloud').first()).toBeVisible()
    await expect(page.getByText('Fix the cause and destroy it again', { exact: false })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Destroy again' })).toBeVisible()
    await confirmByName(page, 'Leak', 'Force destroy')
    await state(page, 'Destroyed')
  })
})
