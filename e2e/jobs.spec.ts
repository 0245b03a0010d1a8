import { api } from '@flotilla/contract/api'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './fixtures'
import { adminToken, call, newPerson, open, openLive } from './people'
import { chooseJob, inspect } from './screen'
import { startServer, type Server } from './server'

/** A separate site, as a new admin finds it after the first start. */
let server: Server
test.beforeAll(async () => {
  server = await startServer()
})
test.afterAll(() => server.stop())

type Saved = { id: string; name: string }
const newJob = (name: string, script: string, more: object = {}, token?: string): Promise<Saved> =>
  Promise.resolve(token ?? adminToken(server)).then((own) =>
    call(server, api.jobs.create, { body: { name, data: { script, walltime: '00:10:00', ...more } } }, own),
  )
const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const history = (page: Page) => page.getByRole('table', { name: 'Submissions' })
const output = (page: Page) => page.getByRole('log', { name: /^Output/ })

test('from the first login to a finished job', async ({ page, picture }) => {
  await page.goto(`${server.url}/login`)
  await page.getByLabel('Username').fill(server.admin.username)
  await page.getByLabel('Password', { exact: true }).fill(server.admin.password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await expect(page).toHaveURL(`${server.url}/dashboard`)

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

  // Its output grows while it runs.
  await expect(output(page)).toContainText('step 1 of 10')
  await expect(output(page)).not.toContainText('step 10 of 10')
  await expect(history(page).getByRole('row', { name: /Running/ })).toBeVisible()
  await inspect(page, picture, 'job-running', ['desk'])
  await expect(output(page)).toContainText('step 10 of 10')
  await expect(output(page)).toContainText('done')
  await expect(history(page).getByRole('row', { name: /Completed/ })).toBeVisible()
  await expect(page.getByText(/Completed on This machine.*exit code 0/)).toBeVisible()
  await inspect(page, picture, 'job-finished', ['desk'])
  await goTo(page, 'Job Manager')
  await expect(page.getByRole('row', { name: /hello Completed/ })).toBeVisible()
  await inspect(page, picture, 'jobs')
})

test(
  'script directives that the form overrides are listed with the script and with the submitted script',
  { tag: SOAK },
  async ({ page, picture }) => {
    const script = '#!/bin/bash\n#PBS -N mine\n#SBATCH --time=02:00:00\n#SBATCH --mem=1G\nsrun hostname\n'
    const { id } = await newJob('overruled', script)
    await open(page, server, server.admin, `/jobs/${id}/edit`)
    const overruled = 'Line 3, --time=02:00:00, has no effect: the form sets the wall time to 00:10:00.'
    const atScript = page.getByRole('list', { name: 'Directives in the script' })
    await expect(atScript).toContainText(overruled)
    await expect(atScript).toContainText('takes effect as written: --mem=1G (line 4)')
    const onSlurm = page.getByRole('list', { name: 'Directives on Slurm' })
    await expect(onSlurm).toContainText(overruled)
    await expect(onSlurm).toContainText('Line 2 is a #PBS line, which Slurm ignores.')
    // The form's own line comes last, because it wins.
    await expect(page.getByRole('textbox', { name: 'Script for Slurm' })).toContainText(
      /--time=02:00:00.*--mem=1G.*--time=00:10:00.*srun hostname/,
    )
    await inspect(page, picture, 'job-directives')
    await page.getByRole('tab', { name: 'Built-in' }).click()
    await expect(page.getByRole('list', { name: 'Directives on Built-in' })).toContainText(
      'Lines 3 and 4 are #SBATCH lines, which the built-in executor ignores.',
    )
    await page.getByLabel('Wall time').fill('00:20:00')
    await expect(atScript).toContainText('the form sets the wall time to 00:20:00.')
  },
)

test('Quick Job Submit needs a job and a cluster, and says why a cluster is not available', async ({
  page,
  picture,
}) => {
  await newJob('greeting', '#!/bin/bash\necho good morning\n')
  await newJob('huge', '#!/bin/bash\ntrue\n', { cores: 4000 })
  await newJob('wide', '#!/bin/bash\ntrue\n', { nodes: 900 })
  const token = await adminToken(server)
  await call(
    server,
    api.clusters.createLocal,
    {
      body: {
        name: 'Not deployed',
        data: { manager: 'none', transport: 'local', virtualNodes: { count: 1, cores: 1 } },
      },
    },
    token,
  )
  await openLive(page, server, server.admin, '/jobs')
  await page.getByRole('button', { name: 'Quick job' }).click()
  const dialog = page.getByRole('dialog', { name: 'Quick Job Submit' })
  const submit = dialog.getByRole('button', { name: 'Submit' })
  const machine = dialog.getByRole('radio', { name: 'This machine' })
  await expect(dialog.getByRole('checkbox', { name: 'Admin' })).not.toBeChecked()
  await expect(dialog.getByRole('button', { name: 'Back' })).toBeEnabled()
  await expect(submit).toBeDisabled()
  await machine.check()
  await expect(submit).toBeDisabled()
  await expect(dialog.getByRole('radio', { name: 'Not deployed' })).toBeDisabled()
  await expect(
    dialog.getByText('Not possible while the cluster is saved. It must be available or updating.'),
  ).toBeVisible()

  await chooseJob(dialog, 'huge')
  await expect(machine).toBeDisabled()
  await expect(dialog.getByText(/Its largest node has .*; the job needs 4000 per node/)).toBeVisible()
  await expect(submit).toBeDisabled()
  await inspect(page, picture, 'quick-job', ['desk'])
  await chooseJob(dialog, 'wide')
  await expect(dialog.getByText(/; the job needs 900$/)).toBeVisible()

  await chooseJob(dialog, 'greeting')
  await machine.check()
  await expect(submit).toBeEnabled()
  await submit.click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByText('Job Submitted')).toBeVisible()
  await page.getByRole('link', { name: 'View output' }).click()
  await expect(output(page)).toContainText('good morning')
  await expect(page.getByText(/Completed on This machine.*exit code 0/)).toBeVisible()
})

test('a failed job shows its exit code; its output is downloaded, it runs again, and everything is deleted', async ({
  page,
}) => {
  const { id } = await newJob('broken', '#!/bin/bash\necho before the end\nexit 7\n')
  await openLive(page, server, server.admin, `/jobs/${id}`)
  await page.getByRole('button', { name: 'Submit' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByText(/Failed on This machine.*exit code 7/)).toBeVisible()
  await expect(output(page)).toContainText('before the end')

  const coming = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const file = await coming
  expect(file.suggestedFilename()).toMatch(/\.txt$/)
  expect(await readFile(await file.path(), 'utf8')).toContain('before the end')

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Resubmit' }).click()
  const ended = history(page).getByRole('row', { name: /^Failed/ })
  await expect(ended).toHaveCount(2)

  await page.getByRole('button', { name: 'Delete output' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete this output?' })
  await dialog.getByRole('button', { name: 'Delete output' }).click()
  await expect(page.getByText('File Deleted')).toBeVisible()
  await expect(page.getByText('This submission wrote no output')).toBeVisible()
  // The other submission keeps its output.
  await ended.last().getByRole('link').click()
  await expect(output(page)).toContainText('before the end')

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete job' }).click()
  await expect(page.getByText('Job Deleted')).toBeVisible()
  await expect(page).toHaveURL(`${server.url}/jobs`)
  await expect(page.getByRole('row', { name: /broken/ })).toHaveCount(0)
})

test('a user runs and cancels a long job, and sees no one else’s jobs', async ({ page }) => {
  const admins = await newJob('of the admin', '#!/bin/bash\ntrue\n')
  const person = await newPerson(server)
  const { token } = await openLive(page, server, person, '/jobs')
  await expect(page.getByText('No jobs yet')).toBeVisible()
  await newJob('long', '#!/bin/bash\necho on my way\nsleep 600\n', {}, token)
  await open(page, server, person, '/jobs')
  await expect(page.getByRole('table', { name: 'Jobs' }).getByRole('row')).toHaveCount(2)

  await page.getByRole('button', { name: 'Quick job' }).click()
  const dialog = page.getByRole('dialog', { name: 'Quick Job Submit' })
  await expect(dialog.getByRole('radio', { name: 'This machine' })).toBeEnabled()
  await expect(dialog.getByRole('checkbox')).toHaveCount(0)
  await dialog.getByRole('combobox', { name: 'Job' }).click()
  await expect(dialog.getByRole('option')).toHaveText(['long'])
  await chooseJob(dialog, 'long')
  await dialog.getByRole('radio', { name: 'This machine' }).check()
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('link', { name: 'View output' }).click()
  await expect(output(page)).toContainText('on my way')
  await expect(history(page).getByRole('row', { name: /Running/ })).toBeVisible()

  await page.getByRole('button', { name: 'Cancel job' }).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Keep running' })).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click()
  await expect(page.getByText('Job Canceled')).toBeVisible()
  await expect(history(page).getByRole('row', { name: /Canceled/ })).toBeVisible()
  await expect(output(page)).toContainText('on my way')

  await page.goto(`${server.url}/jobs/${admins.id}`)
  await expect(page.getByRole('heading', { level: 1, name: 'of the admin' })).toHaveCount(0)
  await expect(page.getByText('Job not found')).toBeVisible()
  await expect(page.getByRole('link', { name: 'See all jobs' })).toBeVisible()
})

test('300 jobs are selected, submitted, canceled and deleted together; failures are told for each', async ({
  page,
  picture,
}) => {
  const MANY = 300
  const person = await newPerson(server)
  const { token } = await openLive(page, server, person, '/clusters')
  for (let at = 0; at < MANY; at += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, offset) =>
        newJob(`bulk ${at + offset + 1}`, '#!/bin/bash\nsleep 600\n', {}, token),
      ),
    )
  await page.goto(`${server.url}/jobs`)
  const table = page.getByRole('table', { name: 'Jobs' })
  const bar = page.getByRole('group', { name: 'Selected rows' })
  const chips = page.getByRole('group', { name: 'Filter jobs by state' })
  const filter = page.getByRole('textbox', { name: 'Filter Jobs' })
  const select = (name: string) => table.getByRole('checkbox', { name: `Select ${name}`, exact: true })
  const press = (name: string) => bar.getByRole('button', { name, exact: true }).click()
  await expect(chips.getByRole('button', { name: 'Never submitted' })).toHaveText(`Never submitted${MANY}`)

  // At the foot of the window; Esc clears it.
  await select('bulk 300').click()
  await expect(bar.getByRole('status')).toHaveText('1 selected')
  await expect(bar).toBeInViewport({ ratio: 1 })
  // Tab would pass through hundreds of rows before it: F6 goes there and back.
  await page.keyboard.press('F6')
  await expect(bar.getByRole('button', { name: 'Select all 300' })).toBeFocused()
  await page.keyboard.press('F6')
  await expect(select('bulk 300')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(bar).toHaveCount(0)

  // All that match the filter, however few are rendered.
  await filter.fill('bulk 1')
  await select('bulk 199').click()
  await press('Select all 111')
  await expect(bar.getByRole('status')).toHaveText('111 selected')
  await inspect(page, picture, 'jobs-selected')
  await filter.fill('bulk 30')
  await select('bulk 30').click()
  await press('Select all 2')
  await press('Submit')
  const submit = page.getByRole('dialog', { name: 'Submit 2 jobs' })
  await submit.getByRole('radio', { name: 'This machine' }).check()
  await submit.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByText('2 jobs submitted')).toBeVisible()
  await expect(bar).toHaveCount(0)
  await filter.fill('')
  await expect(table.getByRole('row').nth(1)).toHaveAccessibleName(/bulk 30/)
  await expect(chips.getByRole('button', { name: 'Never submitted' })).toHaveText('Never submitted298')

  await page.getByRole('checkbox', { name: 'Select all rows' }).click()
  await expect(bar.getByRole('status')).toHaveText('300 selected')
  await press('Cancel')
  const cancel = page.getByRole('dialog', { name: 'Cancel 2 jobs?' })
  await expect(cancel).toContainText('298 others are not on a cluster.')
  await cancel.getByRole('button', { name: 'Cancel 2 jobs' }).click()
  await expect(page.getByText('Cancel requested for 2 jobs')).toBeVisible()
  await chips.getByRole('button', { name: 'Canceled' }).click()
  await expect(table.getByRole('row')).toHaveCount(3)
  await chips.getByRole('button', { name: 'All' }).click()

  await page.getByRole('checkbox', { name: 'Select all rows' }).click()
  await press('Delete')
  const confirm = page.getByRole('dialog', { name: 'Delete 300 jobs?' })
  await expect(confirm).toBeVisible()
  // Meanwhile one is deleted elsewhere.
  const [gone] = await call(server, api.jobs.list, { query: { limit: 1 } }, token)
  await call(server, api.jobs.remove, { id: gone?.id ?? '' }, token)
  await confirm.getByRole('button', { name: 'Delete 300 jobs' }).click()
  await expect(bar.getByRole('status')).toHaveText(/^Deleting [1-9]\d* of 300$/)
  const failed = page.getByRole('dialog', { name: '1 of 300 failed' })
  await expect(failed.getByRole('listitem')).toContainText(gone?.name ?? '')
  await failed.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(page.getByText('299 jobs deleted')).toBeVisible()
  await expect(page.getByText('No jobs yet')).toBeVisible()
  await expect(bar).toHaveCount(0)
})

test('columns are chosen for a table, and time limits are filtered as they are shown', async ({ page }) => {
  const person = await newPerson(server)
  const { token } = await openLive(page, server, person, '/clusters')
  await newJob('short', '#!/bin/bash\ntrue\n', { walltime: '00:30:00' }, token)
  await newJob('long', '#!/bin/bash\ntrue\n', { walltime: '02:00:00', cores: 4 }, token)
  await page.goto(`${server.url}/jobs`)
  const table = page.getByRole('table', { name: 'Jobs' })
  const header = (name: string) => table.getByRole('columnheader', { name })
  await expect(header('Resources')).toBeVisible()
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Resources' }).click()
  await expect(header('Resources')).toHaveCount(0)
  await page.reload()
  await expect(header('Wall time')).toBeVisible()
  await expect(header('Resources')).toHaveCount(0)

  await page.getByRole('combobox', { name: 'Filter type' }).selectOption('Grater than')
  await page.getByRole('combobox', { name: 'Filter column' }).selectOption('Wall time')
  await page.getByRole('textbox', { name: 'Filter Jobs' }).fill('60')
  await expect(table.getByRole('row')).toHaveCount(2)
  await expect(table.getByRole('row', { name: /long/ })).toBeVisible()
  await page.getByRole('combobox', { name: 'Filter column' }).selectOption('Any column')
  await expect(page.getByText('Choose a column to compare times or text.')).toBeVisible()
})

/** Submits to the machine that every site has. */
const submitted = async (id: string) => {
  const token = await adminToken(server)
  const machine = (await call(server, api.clusters.list, {}, token)).find(
    ({ name }) => name === 'This machine',
  )
  await call(server, api.jobs.submit, { body: { id, cluster: machine?.id ?? '' } }, token)
}

test('a search covers an output of 70 MB, and jumps to what it finds', async ({ page, picture }) => {
  const half = 'seq -f "step %.0f energy -1234.56 kcal/mol" 1 1000000'
  const script = `#!/bin/bash\necho The Needle\n${half}\necho "srun: error: node lost"\n${half}\necho the end\n`
  const { id } = await newJob('large', script)
  await submitted(id)
  await open(page, server, server.admin, `/jobs/${id}`)
  await expect(page.getByText(/Completed on This machine/)).toBeVisible()
  await expect(output(page)).toContainText('the end')
  await expect(page.getByLabel('Script', { exact: true })).toContainText('echo The Needle')
  const search = page.getByRole('textbox', { name: 'Search output' })
  await search.fill('needle')
  await expect(page.getByText('Searched all 74 MB: 1 match')).toBeVisible()
  await expect(output(page)).toContainText('The Needle')
  await page.getByRole('button', { name: 'First error' }).click()
  await expect(page.getByText('Searched all 74 MB: 1 error')).toBeVisible()
  await expect(page.getByRole('button', { name: /Line 1000002 srun: error/ })).toBeVisible()
  await expect(output(page)).toContainText('srun: error: node lost')
  await inspect(page, picture, 'job-output-search')
  await page.getByRole('button', { name: 'Load later' }).click()
  // Another text cancels the search before it.
  await search.fill('step')
  await expect(page.getByText(/^Searched .* of 74 MB: first 100 matches/)).toBeVisible()
  await search.fill('step 999999')
  await expect(page.getByText('Searched all 74 MB: 2 matches')).toBeVisible()
  await search.press('Enter')
  await expect(page.getByText('2 of 2')).toBeVisible()
  await expect(output(page)).toContainText('the end')
  await search.press('Enter')
  await expect(page.getByText('1 of 2')).toBeVisible()
  await expect(output(page)).toContainText('srun: error: node lost')
  await page.getByRole('button', { name: 'Jump to newest' }).click()
  await expect(output(page)).toContainText('the end')
  await page.getByRole('link', { name: 'Open folder' }).click()
  await expect(page.getByRole('row', { name: /output\.txt/ })).toBeVisible()
})

test('an array of 300 is a strip of tasks, from one failed task to the next', async ({ page, picture }) => {
  const script = '#!/bin/bash\necho "task $PBS_ARRAYID"\n[ $(( SLURM_ARRAY_TASK_ID % 100 )) != 42 ]\n'
  const { id } = await newJob('array', script, { array: '1-300' })
  await submitted(id)
  await open(page, server, server.admin, `/jobs/${id}`)
  const counts = page.getByRole('list', { name: 'Tasks by state' })
  await expect(counts).toHaveText('3 failed297 completed', { timeout: 120_000 })
  const tasks = page.getByRole('listbox', { name: '300 tasks' }).getByRole('option')
  await expect(tasks).toHaveCount(300)
  await expect(tasks.nth(1)).toHaveAccessibleName('Task 2: Completed')
  await expect(output(page)).toContainText('task 1')
  // On a phone the strip has more rows than it shows at once.
  await page.setViewportSize({ width: 390, height: 844 })
  for (const failed of [42, 142, 242, 42]) {
    await page.getByRole('button', { name: 'Next failed' }).click()
    const chosen = page.getByRole('option', { selected: true })
    await expect(chosen).toHaveAccessibleName(`Task ${failed}: Failed`)
    await expect(chosen).toBeInViewport({ ratio: 1 })
    await expect(output(page)).toContainText(`task ${failed}`)
  }
  await inspect(page, picture, 'job-array')
  await tasks.nth(41).focus()
  await page.keyboard.press('ArrowRight')
  await expect(tasks.nth(42)).toBeFocused()
  await expect(output(page)).toContainText('task 43')
})

test(
  'a user who lost access to the cluster is told so in place of the output',
  { tag: SOAK },
  async ({ page, picture }) => {
    const admin = await adminToken(server)
    const person = await newPerson(server)
    const data = { manager: 'none', transport: 'local', virtualNodes: { count: 1, cores: 1 } } as const
    const cluster = await call(
      server,
      api.clusters.createLocal,
      { body: { name: 'Borrowed', data, collaborators: [person.username] } },
      admin,
    )
    await call(server, api.clusters.deploy, { body: { id: cluster.id } }, admin)
    const { token } = await openLive(page, server, person, '/clusters')
    await expect(page.getByRole('row', { name: /Borrowed.*Available/ })).toBeVisible()
    const { id } = await newJob('borrowed', '#!/bin/bash\necho while it was shared\n', {}, token)
    await call(server, api.jobs.submit, { body: { id, cluster: cluster.id } }, token)
    await page.goto(`${server.url}/jobs/${id}`)
    await expect(page.getByText(/Completed on Borrowed/)).toBeVisible()
    await expect(output(page)).toContainText('while it was shared')

    await call(server, api.clusters.collaborators, { body: { id: cluster.id, collaborators: [] } }, admin)
    await page.reload()
    await expect(page.getByText('You no longer have access to the cluster Borrowed')).toBeVisible()
    await expect(page.getByText('while it was shared')).toHaveCount(0)
    await inspect(page, picture, 'job-output-refused')
  },
)
