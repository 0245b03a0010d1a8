import { API_KEY, startMaas } from '../apps/server/test/maas'
import { expect, test } from './fixtures'
import { adminToken, call, newPerson, open } from './people'
import { startServer, type Server } from './server'

const addCredential = async (server: Server, provider: string, data: Record<string, string>) =>
  call(server, 'POST', '/api/credentials/', {
    token: await adminToken(server),
    body: { credentials: { name: `our ${provider}`, provider, data } },
  })

test('prices of local clusters are set, kept and taken away again', async ({ page, server }) => {
  await open(page, server, await newPerson(server, ['admin']), '/settings/cloud')
  const core = page.getByLabel('A core, USD an hour')
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
})

test('shapes of AWS are synced once credential and region are chosen', async ({ page }) => {
  const server = await startServer({ env: { CLOUD: 'simulated' } })
  try {
    await addCredential(server, 'aws', { access_key: 'AKIAEXAMPLE', secret_key: 'secret' })
    await open(page, server, await newPerson(server, ['admin']), '/settings/cloud')
    const sync = page.getByRole('button', { name: 'Sync shapes' })
    await sync.click()
    await expect(page.getByText('Please select an AWS credential to sync shapes')).toBeVisible()
    await expect(page.getByText('Please select a region to sync shapes')).toBeVisible()
    await page.getByLabel('AWS credential').selectOption({ label: 'our aws' })
    await page.getByLabel('Region').selectOption('eu-west-1')
    await expect(page.getByText(/^\d+ prices of 2026-08-22, from skypilot/)).toBeVisible()
    await sync.click()
    await expect(page.getByText('Cloud Provider Shapes Synced Successfully')).toBeVisible()
    await expect(page.getByText(/^\d+ prices of 20\d\d-\d\d-\d\d, from the simulated AWS/)).toBeVisible()
    await page.getByLabel('Region').selectOption('us-gov-east-1')
    await expect(page.getByText('No prices are known of this region.')).toBeVisible()
  } finally {
    await server.stop()
  }
})

test('machines of an ACM are listed, their shapes synced, and some released', async ({ page, server }) => {
  const admin = await newPerson(server, ['admin'])
  await open(page, server, admin, '/settings/cloud')
  await expect(page.getByText('No ACM credential')).toBeVisible()
  const maas = await startMaas()
  try {
    await addCredential(server, 'maas', { api_url: maas.url, api_key: API_KEY })
    await page.reload()
    const table = page.getByRole('table', { name: 'ACM machines' })
    await expect(table.getByRole('row', { name: /node3/ })).toContainText('Ready')
    await page.getByRole('button', { name: 'Sync ACM shapes' }).click()
    await expect(page.getByText('ACM Shapes Synced Successfully')).toBeVisible()

    await table.getByRole('checkbox', { name: /node3/ }).check()
    await expect(page.getByRole('button', { name: 'Release' })).toBeDisabled()
    await table.getByRole('checkbox', { name: /node3/ }).uncheck()
    await table.getByRole('checkbox', { name: /node2/ }).check()
    await page.getByRole('button', { name: 'Release' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('node2 of console')
    await dialog.getByRole('button', { name: 'Release 1 machine' }).click()
    await expect(page.getByText('All Nodes Released Successfully')).toBeVisible()
    await expect(table.getByRole('row', { name: /node2/ })).toContainText('Releasing')
  } finally {
    await maas.close()
  }
})
