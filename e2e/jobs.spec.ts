import { api } from '@flotilla/contract/api'
import { readFile } from 'node:fs/promises'
import { SOAK, expect, test } from './support/fixtures'
import { history, newJob, output } from './support/jobs'
import { adminToken, call, logIn, newPerson, open, openLive } from './support/people'
import { chooseJob, inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ server: shared }) => {
  server = shared
})

test(
  'script directives that the form overrides are listed with the script and with the submitted script',
  { tag: SOAK },
  async ({ page, picture }) => {
    const script = '#!/bin/bash\n#PBS -N mine\n#SBATCH --time=02:00:00\n#SBATCH --mem=1G\nsrun hostname\n'
    const { id } = await newJob(server, 'overruled', script)
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

test('Quick Job Submit requires a job and a cluster, and shows why a cluster is not available', async ({
  page,
  picture,
}) => {
  await newJob(server, 'greeting', '#!/bin/bash\necho good morning\n')
  await newJob(server, 'huge', '#!/bin/bash\ntrue\n', { cores: 4000 })
  await newJob(server, 'wide', '#!/bin/bash\ntrue\n', { nodes: 900 })
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
    dialog
      .getByText('Not possible while the cluster’s state is saved. It must be available or updating.')
      .first(),
  ).toBeVisible()

  await chooseJob(dialog, 'huge')
  await expect(machine).toBeDisabled()
  await expect(dialog.getByText(/Its largest node has .*; the job needs 4000 per node/).first()).toBeVisible()
  await expect(submit).toBeDisabled()
  await inspect(page, picture, 'quick-job', ['desk'])
  await chooseJob(dialog, 'wide')
  await expect(dialog.getByText(/; the job needs 900$/).first()).toBeVisible()

  await chooseJob(dialog, 'greeting')
  await machine.check()
  await expect(submit).toBeEnabled()
  await submit.click()
  // The link is in a notice that disappears after six seconds.
  await page.getByRole('link', { name: 'View output' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(output(page)).toContainText('good morning')
  await expect(page.getByText(/Completed on This machine.*exit code 0/)).toBeVisible()
})

test('a failed job shows its exit code; its output is downloaded, it runs again, and everything is deleted', async ({
  page,
}) => {
  const person = await newPerson(server)
  const { token } = await logIn(server, person)
  const { id } = await newJob(server, 'broken', '#!/bin/bash\necho before the end\nexit 7\n', {}, token)
  await openLive(page, server, person, `/jobs/${id}`)
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

test('a user runs and cancels a long job, and sees no one else’s jobs', { tag: SOAK }, async ({ page }) => {
  const admins = await newJob(server, 'of the admin', '#!/bin/bash\ntrue\n')
  const person = await newPerson(server)
  const { token } = await openLive(page, server, person, '/jobs')
  await expect(page.getByText('No jobs yet')).toBeVisible()
  await newJob(server, 'long', '#!/bin/bash\necho on my way\nsleep 600\n', {}, token)
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
