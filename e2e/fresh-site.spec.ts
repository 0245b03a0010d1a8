import { api } from '@flotilla/contract/api'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { history, output } from './support/jobs'
import { adminToken, call, newPerson, open, openLive } from './support/people'
import { inspect } from './support/screen'
import { startServer, type Server } from './support/server'

/** A new site that no one has logged in to. */
let server: Server
test.beforeAll(async () => {
  server = await startServer()
})
test.afterAll(() => server.stop())

const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

test('on a fresh installation, the first admin logs in and runs a job, and the checklist completes itself', async ({
  page,
  picture,
}) => {
  await page.goto(`${server.url}/login`)
  await page.getByLabel('Username').fill(server.admin.username)
  await page.getByLabel('Password', { exact: true }).fill(server.admin.password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await expect(page).toHaveURL(`${server.url}/dashboard`)
  const steps = page.locator('section', { hasText: 'Get started' })
  await expect(steps.getByText('0 of 4 steps done')).toBeVisible()
  await expect(page.getByText('Spend this month')).toHaveCount(0)
  await inspect(page, picture, 'dashboard-fresh')

  await goTo(page, 'Cluster Manager')
  await expect(page.getByRole('row', { name: /^This machine.*Available/ })).toBeVisible()

  await goTo(page, 'Job Manager')
  await expect(page.getByText('No jobs yet')).toBeVisible()
  await inspect(page, picture, 'jobs-empty', ['desk'])
  await page.getByRole('link', { name: 'Start from an example' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('hello')
  await expect(page.getByRole('textbox', { name: 'Script', exact: true })).toContainText('step $step of 10')
  await expect(page.getByRole('textbox', { name: 'Script for Slurm' })).toContainText('#SBATCH')
  await inspect(page, picture, 'job-new', ['desk'])
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Job Saved')).toBeVisible()
  await expect(heading(page, 'hello')).toBeVisible()
  await expect(page.getByText('Never submitted').first()).toBeVisible()

  await page.getByRole('button', { name: 'Submit' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Submit hello' })
  await expect(dialog.getByRole('radio', { name: 'This machine' })).toBeChecked()
  await inspect(page, picture, 'job-submit', ['desk'])
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByText('Job Submitted')).toBeVisible()

  // On a busy machine, the job may already have ended.
  await expect(output(page)).toContainText('step 1 of 10')
  await expect(history(page).getByRole('row', { name: /Running|Completed/ })).toBeVisible()
  await inspect(page, picture, 'job-running', ['desk'])
  await expect(output(page)).toContainText('step 10 of 10')
  await expect(output(page)).toContainText('done')
  await expect(history(page).getByRole('row', { name: /Completed/ })).toBeVisible()
  await expect(page.getByText(/Completed on This machine.*exit code 0/)).toBeVisible()
  await inspect(page, picture, 'job-finished', ['desk'])
  await goTo(page, 'Job Manager')
  await expect(page.getByRole('row', { name: /hello Completed/ })).toBeVisible()
  await inspect(page, picture, 'jobs')

  await goTo(page, 'Dashboard')
  await expect(steps.getByText('1 of 4 steps done')).toBeVisible()
  await expect(page.getByText('Spend this month')).toBeVisible()
  await newPerson(server)
  await expect(steps.getByText('2 of 4 steps done')).toBeVisible()
})

test(
  'a failed cluster appears without a reload and links to its page',
  { tag: SOAK },
  async ({ page, picture }) => {
    await openLive(page, server, server.admin, '/dashboard')
    await expect(page.getByRole('heading', { name: 'Needs attention' })).toBeVisible()
    const token = await adminToken(server)
    const head = { host: '127.0.0.1', port: 1, username: 'nobody' }
    const body = { name: 'Physics', data: { manager: 'slurm' as const, transport: 'ssh' as const, head } }
    const { id } = await call(server, api.clusters.createLocal, { body }, token)
    await call(server, api.clusters.deploy, { body: { id } }, token)
    const entry = page.getByRole('link', { name: /^Physics failed/ })
    await expect(entry).toBeVisible()
    await inspect(page, picture, 'dashboard')
    await entry.click()
    await expect(page.getByRole('heading', { name: 'Physics' })).toBeVisible()

    const ada = await newPerson(server)
    await open(page, server, ada, '/dashboard')
    await expect(page.getByText('Nothing needs your attention')).toBeVisible()
    await expect(page.getByText('Services')).toHaveCount(0)
    await inspect(page, picture, 'dashboard-user', ['desk'])
  },
)
