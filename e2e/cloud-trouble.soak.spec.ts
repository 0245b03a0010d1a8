import { api } from '@flotilla/contract/api'
import { confirmByName, deployCluster, menu, newCloudCluster, setFaults, state } from './support/clouds'
import { expect, test } from './support/fixtures'
import { adminToken, call, openLive } from './support/people'
import { DESK, PHONE } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ clouds }) => {
  server = clouds
})

const newCluster = (name: string, data?: object) => newCloudCluster(server, name, data)

test('every other cloud failure shows its cause, and the cluster can be recovered', async ({ page }) => {
  const names = ['Key', 'Boot', 'Crash', 'Lost', 'Drift', 'Leak'] as const
  const ids = {} as Record<(typeof names)[number], string>
  for (const name of names) ids[name] = await newCluster(name, { disks: [{ name: 'data', size: 10 }] })
  await setFaults(server, {
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
      await deployCluster(page)
      await state(page, 'Available')
    })
  await test.step('Crash: it resumes automatically', async () => {
    await openLive(page, server, server.admin, `/clusters/${ids.Crash}`)
    await state(page, 'Available')
  })
  await test.step('Drift: the plan restores what someone removed', async () => {
    await openLive(page, server, server.admin, `/clusters/${ids.Drift}`)
    await state(page, 'Available')
    await setFaults(server, { [ids.Drift]: { fault: 'drift', times: 1 } })
    await menu(page, 'Drift', 'Plan')
    await page.getByRole('dialog').getByRole('button', { name: 'Plan cluster' }).click()
    const plan = page.getByRole('table', { name: 'Planned changes' })
    await expect(plan.getByRole('row', { name: /Add node node1/ })).toBeVisible({ timeout: 180_000 })
    // After the daily check has found the drift, the dashboard links to the plan, and Apply repairs it.
    await page.goto(`${server.url}/`)
    await page
      .getByRole('link', { name: /Drift was changed in the cloud|of Drift is gone/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Apply changes', exact: true }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Apply changes' }).click()
    await state(page, 'Available')
    const attention = async () => (await call(server, api.dashboard.view, {}, token)).attention
    const ofDrift = async () => (await attention()).filter(({ kind }) => kind === 'drift')
    await expect.poll(ofDrift, { timeout: 180_000 }).toEqual([])
  })
  await test.step('Leak: leftover resources are listed and removed by force destroy', async () => {
    await openLive(page, server, server.admin, `/clusters/${ids.Leak}`)
    await state(page, 'Available')
    await setFaults(server, { [ids.Leak]: { fault: 'leakedVolume', times: 1 } })
    await confirmByName(page, 'Leak', 'Destroy')
    await state(page, 'Failed')
    await expect(page.getByRole('main').getByText('still in the cloud').first()).toBeVisible()
    await expect(
      page.getByText('Fix the cause and destroy the cluster again', { exact: false }),
    ).toBeVisible()
    await expect(page.getByRole('button', { name: 'Destroy again' })).toBeVisible()
    await confirmByName(page, 'Leak', 'Force destroy')
    await state(page, 'Destroyed')
  })
})

test('during a capacity shortage, the page shows the number of the attempt', async ({ page }) => {
  const id = await newCluster('Short')
  await setFaults(server, { [id]: { fault: 'capacity', times: 3 } })
  await openLive(page, server, server.admin, `/clusters/${id}`)
  await page.setViewportSize(PHONE)
  await deployCluster(page)
  const tries = page.getByRole('main').getByText(/AWS has no capacity for .+, try [234] of 4 in \d+ s/)
  await expect(tries.first()).toBeInViewport({ timeout: 60_000 })
  await state(page, 'Available')
  await page.setViewportSize(DESK)
  await page.goto(`${server.url}/clusters/${id}/logs`)
  await expect(page.getByText(/try 3 of 4/).first()).toBeVisible()
  await confirmByName(page, 'Short', 'Force destroy')
  await state(page, 'Destroyed')
})
