import { api } from '@flotilla/contract/api'
import { confirmByName, deployCluster, menu, newCloudCluster, setFaults, state } from './clouds'
import { expect, test } from './fixtures'
import { adminToken, call, openLive } from './people'
import type { Server } from './server'

let server: Server
test.beforeAll(({ clouds }) => {
  server = clouds
})

const newCluster = (name: string, data?: object) => newCloudCluster(server, name, data)

test('every other cloud failure explains the cause and can be recovered from', async ({ page }) => {
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
  })
  await test.step('Leak: leftover resources are listed and removed by force destroy', async () => {
    await openLive(page, server, server.admin, `/clusters/${ids.Leak}`)
    await state(page, 'Available')
    await setFaults(server, { [ids.Leak]: { fault: 'leakedVolume', times: 1 } })
    await confirmByName(page, 'Leak', 'Destroy')
    await state(page, 'Failed')
    await expect(page.getByRole('main').getByText('still in the cloud').first()).toBeVisible()
    await expect(page.getByText('Fix the cause and destroy it again', { exact: false })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Destroy again' })).toBeVisible()
    await confirmByName(page, 'Leak', 'Force destroy')
    await state(page, 'Destroyed')
  })
})
