import { api } from '@flotilla/contract/api'
import { SOAK, expect, test } from './support/fixtures'
import { newJob } from './support/jobs'
import { call, logIn, newPerson, openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ server: shared }) => {
  server = shared
})

test(
  'a user selects, submits, cancels and deletes 120 jobs together; failures are shown per job',
  { tag: SOAK },
  async ({ page, picture }) => {
    const MANY = 120
    const person = await newPerson(server)
    const { token } = await logIn(server, person)
    for (let at = 0; at < MANY; at += 20)
      await Promise.all(
        Array.from({ length: 20 }, (_, offset) =>
          newJob(server, `bulk ${at + offset + 1}`, '#!/bin/bash\nsleep 600\n', {}, token),
        ),
      )
    await openLive(page, server, person, '/jobs')
    const table = page.getByRole('table', { name: 'Jobs' })
    const bar = page.getByRole('group', { name: 'Selected rows' })
    const chips = page.getByRole('group', { name: 'Filter jobs by state' })
    const filter = page.getByRole('textbox', { name: 'Filter Jobs' })
    const select = (name: string) => table.getByRole('checkbox', { name: `Select ${name}`, exact: true })
    const press = (name: string) => bar.getByRole('button', { name, exact: true }).click()
    await expect(chips.getByRole('button', { name: 'Never submitted' })).toHaveText(`Never submitted${MANY}`)

    // The screen renders only the rows in view; the printed page has all of them.
    expect(await table.getByRole('row').count()).toBeLessThan(100)
    await page.emulateMedia({ media: 'print' })
    await expect(table.getByRole('row')).toHaveCount(MANY + 1)
    await page.emulateMedia({ media: 'screen' })
    await expect.poll(() => table.getByRole('row').count()).toBeLessThan(100)

    // The selection bar is at the bottom of the window, and Esc clears it.
    await select('bulk 120').click()
    await expect(bar.getByRole('status')).toHaveText('1 selected')
    await expect(bar).toBeInViewport({ ratio: 1 })
    // F6 moves the focus to the bar and back, because Tab would stop in hundreds of rows on the way.
    await page.keyboard.press('F6')
    await expect(bar.getByRole('button', { name: 'Select all 120' })).toBeFocused()
    await page.keyboard.press('F6')
    await expect(select('bulk 120')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(bar).toHaveCount(0)

    // The button selects all rows that match the filter, including those that are not rendered.
    await filter.fill('bulk 1')
    await select('bulk 119').click()
    await press('Select all 32')
    await expect(bar.getByRole('status')).toHaveText('32 selected')
    await inspect(page, picture, 'jobs-selected')
    await filter.fill('bulk 12')
    await select('bulk 12').click()
    await press('Select all 2')
    await press('Submit')
    const submit = page.getByRole('dialog', { name: 'Submit 2 jobs' })
    await submit.getByRole('radio', { name: 'This machine' }).check()
    await submit.getByRole('button', { name: 'Submit' }).click()
    await expect(page.getByText('2 jobs submitted')).toBeVisible()
    await expect(bar).toHaveCount(0)
    await filter.fill('')
    await expect(table.getByRole('row').nth(1)).toHaveAccessibleName(/bulk 12/)
    await expect(chips.getByRole('button', { name: 'Never submitted' })).toHaveText('Never submitted118')

    await page.getByRole('checkbox', { name: 'Select all rows' }).click()
    await expect(bar.getByRole('status')).toHaveText('120 selected')
    await press('Cancel')
    const cancel = page.getByRole('dialog', { name: 'Cancel 2 jobs?' })
    await expect(cancel).toContainText('118 others are not on a cluster.')
    await cancel.getByRole('button', { name: 'Cancel 2 jobs' }).click()
    await expect(page.getByText('Cancel requested for 2 jobs')).toBeVisible()
    await chips.getByRole('button', { name: 'Canceled' }).click()
    await expect(table.getByRole('row')).toHaveCount(3)
    await chips.getByRole('button', { name: 'All' }).click()

    await page.getByRole('checkbox', { name: 'Select all rows' }).click()
    await press('Delete')
    const confirm = page.getByRole('dialog', { name: 'Delete 120 jobs?' })
    await expect(confirm).toBeVisible()
    // Meanwhile another client deletes one of the jobs.
    const [removed] = await call(server, api.jobs.list, { query: { limit: 1 } }, token)
    await call(server, api.jobs.remove, { id: removed?.id ?? '' }, token)
    await confirm.getByRole('button', { name: 'Delete 120 jobs' }).click()
    await expect(bar.getByRole('status')).toHaveText(/^Deleting [1-9]\d* of 120$/)
    const failed = page.getByRole('dialog', { name: '1 of 120 failed' })
    await expect(failed.getByRole('listitem')).toContainText(removed?.name ?? '')
    await failed.getByRole('button', { name: 'Close', exact: true }).click()
    await expect(page.getByText('119 jobs deleted')).toBeVisible()
    await expect(page.getByText('No jobs yet')).toBeVisible()
    await expect(bar).toHaveCount(0)
  },
)

test(
  'a user chooses the columns of a table and filters time limits as they are shown',
  { tag: SOAK },
  async ({ page }) => {
    const person = await newPerson(server)
    const { token } = await logIn(server, person)
    await newJob(server, 'short', '#!/bin/bash\ntrue\n', { walltime: '00:30:00' }, token)
    await newJob(server, 'long', '#!/bin/bash\ntrue\n', { walltime: '02:00:00', cores: 4 }, token)
    await openLive(page, server, person, '/jobs')
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
  },
)
