import { api } from '@flotilla/contract/api'
import { SOAK, expect, test } from './support/fixtures'
import { newJob, output } from './support/jobs'
import { thisMachine } from './support/local-cluster'
import { adminToken, call, newPerson, open, openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ server: shared }) => {
  server = shared
})

/** Submits a job to the cluster that every site has. */
const submit = async (id: string) =>
  call(
    server,
    api.jobs.submit,
    { body: { id, cluster: await thisMachine(server) } },
    await adminToken(server),
  )

test(
  'a user searches a job output of 70 MB and jumps to the matches',
  { tag: SOAK },
  async ({ page, picture }) => {
    const half = 'seq -f "step %.0f energy -1234.56 kcal/mol" 1 1000000'
    const script = `#!/bin/bash\necho The Needle\n${half}\necho "srun: error: node lost"\n${half}\necho the end\n`
    const { id } = await newJob(server, 'large', script)
    await submit(id)
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
    // A new search text cancels the previous search.
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
  },
)

test(
  'a job array of 160 tasks is shown as a strip, and a button jumps to the next failed task',
  { tag: SOAK },
  async ({ page, picture }) => {
    const script = '#!/bin/bash\necho "task $PBS_ARRAYID"\n[ $(( SLURM_ARRAY_TASK_ID % 55 )) != 42 ]\n'
    const { id } = await newJob(server, 'array', script, { array: '1-160' })
    await submit(id)
    await open(page, server, server.admin, `/jobs/${id}`)
    const counts = page.getByRole('list', { name: 'Tasks by state' })
    await expect(counts).toHaveText('3 failed157 completed', { timeout: 120_000 })
    const tasks = page.getByRole('listbox', { name: '160 tasks' }).getByRole('option')
    await expect(tasks).toHaveCount(160)
    await expect(tasks.nth(1)).toHaveAccessibleName('Task 2: Completed')
    await expect(output(page)).toContainText('task 1')
    // On a phone the strip has more rows than it shows at once.
    await page.setViewportSize({ width: 390, height: 844 })
    for (const failed of [42, 97, 152, 42]) {
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
  },
)

test(
  'a user who lost access to the cluster sees that instead of the output',
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
    // The page also shows the script, so the script must not contain the text of its output.
    const { id } = await newJob(server, 'borrowed', '#!/bin/bash\necho while it was sha""red\n', {}, token)
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
