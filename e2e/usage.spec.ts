import { readFile } from 'node:fs/promises'
import { api } from '@flotilla/contract/api'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { thisMachine } from './support/local-cluster'
import { adminToken, call, logIn, newPerson, open } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ server: shared }) => {
  server = shared
})

const year = { startMs: '0', endMs: String(Date.now() + 24 * 60 * 60_000) }

async function runJob(token: string, name: string): Promise<string> {
  const data = { script: 'sleep 1\n', walltime: '00:10:00' }
  const { id } = await call(server, api.jobs.create, { body: { name, data } }, token)
  await call(server, api.jobs.submit, { body: { id, cluster: await thisMachine(server) } }, token)
  return id
}
/** Whether the accounting ledger has recorded the end of a job of the token's owner. */
const isRecorded = async (token: string, name: string): Promise<boolean> =>
  (await call(server, api.account.ownJobs, year, token)).some(
    ({ job, endedAt }) => job === name && endedAt !== null,
  )
const downloaded = async (page: Page, ending: string): Promise<string> => {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: ending }).click()
  return readFile(await (await download).path(), 'utf8')
}

test(
  'an admin drills down from a year to one job, and can export every level',
  { tag: SOAK },
  async ({ page, picture }) => {
    const token = await adminToken(server)
    await open(page, server, server.admin, '/account')
    await page.getByLabel('First day').fill('2020-01-01')
    await page.getByLabel('Last day').fill('2020-01-31')
    await expect(page.getByText('No usage in this period')).toBeVisible()
    await inspect(page, picture, 'accounting-empty', ['desk'])

    await call(server, api.settings.setLocalPrices, { body: { perCoreHour: 360, perGpuHour: null } }, token)
    const ada = await newPerson(server, ['user'])
    const own = await logIn(server, ada)
    const jobId = await runJob(own.token, 'weather')
    await runJob(token, 'backup')
    await expect.poll(() => isRecorded(own.token, 'weather'), { timeout: 180_000 }).toBe(true)

    await test.step('by user', async () => {
      await page.goto(`${server.url}/account?range=year`)
      const row = page.getByRole('row', { name: new RegExp(`^${ada.username}\\b`) })
      await expect(row).toBeVisible()
      await inspect(page, picture, 'accounting')
      await page.setViewportSize({ width: 390, height: 844 })
      await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveCount(0)
      const cut = await page
        .locator('th .truncate')
        .evaluateAll((titles) =>
          titles.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
        )
      expect(cut, 'every column has its whole title on a phone').toEqual([])
      await page.setViewportSize({ width: 1440, height: 900 })
      // The printed page has the figures and their period, but no controls.
      await page.emulateMedia({ media: 'print' })
      await expect(row).toBeVisible()
      await expect(page.getByText(/^Jan 1 – Dec 31, \d{4}$|^1 Jan – 31 Dec \d{4}$/)).toBeVisible()
      for (const role of ['tab', 'combobox', 'textbox', 'navigation'] as const)
        await expect(page.getByRole(role), role).toHaveCount(0)
      await page.emulateMedia({ media: 'screen' })
      expect(await downloaded(page, 'CSV')).toMatch(
        /^userAccount,name,jobs,coreHours,gpuHours,nodeHours,price,unpricedCoreHours,currency\r\n/,
      )
      await row.getByRole('link').first().click()
    })

    await test.step('by cluster', async () => {
      await expect(page).toHaveURL(`${server.url}/account/${ada.username}?range=year`)
      await expect(page.getByRole('row', { name: /^This machine 1 / })).toBeVisible()
      await inspect(page, picture, 'accounting-user', ['desk'])
      await page.getByRole('link', { name: 'This machine' }).click()
    })

    await test.step('by job', async () => {
      await expect(
        page.getByRole('heading', { name: `Jobs for Ada Lovelace (${ada.username})` }),
      ).toBeVisible()
      await expect(page.getByRole('row', { name: /^weather/ })).toBeVisible()
      await inspect(page, picture, 'accounting-jobs')
      // The breadcrumbs keep the period.
      const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' })
      await expect(crumbs.getByRole('link', { name: ada.username })).toHaveAttribute(
        'href',
        `/account/${ada.username}?range=year`,
      )
      const [record] = JSON.parse(await downloaded(page, 'JSON')) as Record<string, unknown>[]
      expect(record).toMatchObject({ job: 'weather', jobId, state: 'succeeded', cores: 1, estimated: false })
      // One core at 0.1 per core-second costs a tenth of the seconds.
      const seconds = (Number(record?.endedAt) - Number(record?.startedAt)) / 1000
      expect(record?.price).toBeCloseTo(seconds / 10, 4)
      await page.getByRole('link', { name: 'weather' }).click()
      await expect(page, 'the run that cost this, not the last one').toHaveURL(
        `${server.url}/jobs/${jobId}?submission=${String(record?.submissionId)}`,
      )
    })

    await test.step('a total links to the table of its parts', async () => {
      await page.goto(`${server.url}/account?range=year`)
      await page.getByRole('definition').first().getByRole('link').click()
      await expect(page.getByRole('tab', { name: 'Clusters' })).toHaveAttribute('aria-selected', 'true')
      await expect(page.getByRole('row', { name: /^This machine Local/ })).toBeVisible()
    })

    await test.step('machines of a cluster, busy and idle', async () => {
      await page.goto(`${server.url}/account?tab=clusters&range=today`)
      await page.getByRole('link', { name: 'This machine' }).click()
      await expect(page.getByRole('heading', { name: 'Usage for This machine' })).toBeVisible()
      await expect(page.getByRole('row', { name: /^node1 Machine/ })).toBeVisible()
      await inspect(page, picture, 'accounting-cluster')
      await page.getByRole('link', { name: ada.username, exact: true }).click()
      await expect(page.getByRole('row', { name: /^weather/ })).toBeVisible()
    })

    await test.step('the jobs and prices of a node', async () => {
      const [record] = await call(server, api.account.details, { userAccount: ada.username, ...year }, token)
      const node = record?.nodeList ?? ''
      await page.goto(`${server.url}/account?tab=clusters&range=today`)
      await page.getByRole('link', { name: 'This machine' }).click()
      await page
        .getByRole('row', { name: new RegExp(`^${node} Machine`) })
        .getByRole('link', { name: node, exact: true })
        .click()
      await expect(page.getByRole('heading', { name: `Usage for node ${node}` })).toBeVisible()
      await expect(page.getByRole('row', { name: /^weather/ })).toBeVisible()
      await expect(
        page.getByRole('table', { name: 'States and prices' }).getByRole('row', { name: /^Busy/ }).first(),
      ).toBeVisible()
      await inspect(page, picture, 'accounting-node')
      await page.getByRole('link', { name: 'Back to the cluster' }).click()
      await expect(page.getByRole('heading', { name: 'Usage for This machine' })).toBeVisible()
    })
    await call(server, api.settings.setLocalPrices, { body: { perCoreHour: null, perGpuHour: null } }, token)
  },
)

test('everyone sees their own usage in their settings, and no one else’s', async ({ page, picture }) => {
  const eve = await newPerson(server, ['user'])
  const own = await logIn(server, eve)
  await runJob(own.token, 'mine')
  await expect.poll(() => isRecorded(own.token, 'mine'), { timeout: 180_000 }).toBe(true)
  await open(page, server, eve, '/settings_user/usage')
  await expect(page.getByRole('row', { name: /^mine/ })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Jobs' }).getByRole('row')).toHaveCount(2)
  await inspect(page, picture, 'own-usage')
  await page.getByLabel('First day').fill('2020-01-01')
  await page.getByLabel('Last day').fill('2020-01-31')
  await expect(page.getByText('No jobs in this period')).toBeVisible()
})
