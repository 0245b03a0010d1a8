import { api } from '@flotilla/contract/api'
import { expect, test } from './support/fixtures'
import { expectState, newLocalCluster } from './support/local-cluster'
import { adminToken, call, openLive } from './support/people'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ server: shared }) => {
  server = shared
})

test('a user filters a long queue by state and text, and selects and cancels all its jobs', async ({
  page,
}) => {
  const [ALPHAS, BETAS] = [100, 5]
  const cluster = await newLocalCluster(server, 'Crowded')
  const token = await adminToken(server)
  const state = async () => (await call(server, api.clusters.view, { id: cluster.id }, token)).info.state
  await expect.poll(state).toBe('available')
  const submit = async (name: string, times: number) => {
    const data = { script: '#!/bin/bash\nsleep 1000\n', walltime: '00:30:00' }
    const { id } = await call(server, api.jobs.create, { body: { name, data } }, token)
    for (let left = times; left > 0; left -= 10)
      await Promise.all(
        Array.from({ length: Math.min(10, left) }, () =>
          call(server, api.jobs.submit, { body: { id, cluster: cluster.id, runAsAdmin: true } }, token),
        ),
      )
  }
  await submit('alpha', ALPHAS)
  await submit('beta', BETAS)
  await openLive(page, server, server.admin, `/clusters/${cluster.id}`)
  const expectText = (text: string) => expect(page.getByText(text, { exact: true })).toBeVisible()
  const chips = page.getByRole('group', { name: 'Filter jobs by state' })
  await expectText('105 of 105')

  // Two run, one on each node; the others wait.
  await chips.getByRole('button', { name: 'Queued' }).click()
  await expectText('103 of 105')
  await page.getByRole('textbox', { name: 'Filter Jobs' }).fill('beta')
  await expectText('5 of 105')
  await expect(chips.getByRole('button', { name: 'Queued' })).toHaveAttribute('aria-pressed', 'true')
  await chips.getByRole('button', { name: 'Running' }).click()
  await expectText('0 of 105')
  await expect(page.getByRole('textbox', { name: 'Filter Jobs' })).toHaveValue('beta')
  await page.getByRole('button', { name: 'Clear filter' }).last().click()
  await expectText('105 of 105')
  await expect(chips.getByRole('button', { name: 'All' })).toHaveAttribute('aria-pressed', 'true')

  await page.getByRole('checkbox', { name: 'Select all rows' }).click()
  const bar = page.getByRole('group', { name: 'Selected rows' })
  await expect(bar.getByRole('status')).toHaveText('100 selected')
  await bar.getByRole('button', { name: 'Select all 105' }).click()
  await expect(bar.getByRole('status')).toHaveText('105 selected')
  await expect(bar.getByRole('button', { name: /^Select all/ })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(bar).toHaveCount(0)
  await page.getByRole('row', { name: /alpha/ }).first().getByRole('checkbox').click()
  await bar.getByRole('button', { name: 'Select all 105' }).click()
  await expect(bar.getByRole('status')).toHaveText('105 selected')
  await bar.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel 105 jobs' }).click()
  await expect(bar.getByRole('status')).toHaveText(/^Canceling [1-9]\d* of 105$/)
  // Each job is canceled with a separate command, which takes time.
  await expect(page.getByText('105 jobs canceled')).toBeVisible({ timeout: 180_000 })
  await expect(bar).toHaveCount(0)
  await expect(chips.getByRole('button', { name: 'Queued' })).toHaveText('Queued0')
})

test('on a phone, the full state of a job is visible, and the filter finds it', async ({ page, picture }) => {
  const cluster = await newLocalCluster(server, 'Pocket')
  const token = await adminToken(server)
  await page.setViewportSize({ width: 390, height: 844 })
  await openLive(page, server, server.admin, `/clusters/${cluster.id}/queue`)
  await expectState(page, 'Available')
  for (const [name, script] of [
    ['a-rather-long-name', 'exit 3'],
    ['well', 'true'],
    ['endless', 'sleep 1000'],
  ] as const) {
    const data = { script: `#!/bin/bash\n${script}\n`, walltime: '00:30:00' }
    const { id } = await call(server, api.jobs.create, { body: { name, data } }, token)
    const body = { id, cluster: cluster.id, runAsAdmin: true }
    const sent = await call(server, api.jobs.submit, { body }, token)
    if (name === 'endless')
      await call(server, api.jobs.cancel, { body: { job: sent.id, cluster: cluster.id } }, token)
  }
  const table = page.getByRole('table', { name: 'Jobs' })
  for (const word of ['Failed', 'Completed', 'Canceled']) {
    const shown = table.getByText(word, { exact: true })
    await expect(shown).toBeVisible()
    const cut = await shown.evaluate((element) => {
      const cell = element.closest('td')
      return element.scrollWidth > element.clientWidth || !cell || cell.scrollWidth > cell.clientWidth
    })
    expect(cut, word).toBe(false)
  }
  // The table does not scroll sideways either.
  const overflow = () =>
    table.evaluate((element) => element.scrollWidth - (element.parentElement?.clientWidth ?? 0))
  expect(await overflow()).toBeLessThanOrEqual(0)
  await page.getByRole('textbox', { name: 'Filter Jobs' }).fill('failed')
  await expect(page.getByText('1 of 3', { exact: true })).toBeVisible()
  await expect(table.getByRole('row', { name: /a-rather-long-name Failed/ })).toBeVisible()
  await picture('queue-phone', page)
  const price = page.getByText('your machines')
  await expect(price).toBeVisible()
  expect(
    await price.evaluate(
      (element) => element.parentElement?.scrollWidth === element.parentElement?.clientWidth,
    ),
  ).toBe(true)
})
