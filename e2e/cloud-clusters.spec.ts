import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { confirmByName, menu, newCloudCluster, runJob, state } from './support/clouds'
import { SOAK, expect, test } from './support/fixtures'
import { openLive } from './support/people'
import { DESK, PHONE, inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ clouds }) => {
  server = clouds
})

const glance = (page: Page) => page.getByRole('region', { name: 'At a glance' })
const tab = (page: Page, cluster: string, name: string) =>
  page.getByRole('navigation', { name: cluster }).getByRole('link', { name }).click()
/** Confirms the open dialog with the given button. */
async function confirm(page: Page, button: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click()
}

/** A cluster on AWS with two nodes, two disks and a tag. */
const newCluster = (name: string): Promise<string> =>
  newCloudCluster(server, name, {
    node: { group: [{ count: 2, instance_id: 'c5.xlarge' }] },
    disks: [
      { name: 'data', size: 100 },
      { name: 'scratch', size: 50 },
    ],
    tags: { cost_center: '0042' },
  })

test('AWS: an admin plans and deploys a cluster, runs a job, and destroys and deploys nodes', async ({
  page,
  picture,
}) => {
  const id = await newCluster('Aurora')
  await openLive(page, server, server.admin, `/clusters/${id}`)
  await test.step('plan, with a warning that the quota is not enough, then deploy that plan', async () => {
    // The head node has 2 vCPUs, and each node 4.
    const simulated = join(server.dataDir, 'simulated')
    await mkdir(simulated, { recursive: true })
    const quotasFile = join(simulated, 'quotas.json')
    await writeFile(quotasFile, JSON.stringify({ aws: { 'L-1216C47A': 8 } }))
    await page.getByRole('button', { name: 'Plan', exact: true }).click()
    await confirm(page, 'Plan cluster')
    await state(page, 'Planned')
    const plan = page.getByRole('table', { name: 'Planned changes' })
    await expect(plan.getByRole('row', { name: /Add node node2/ })).toBeVisible()
    await expect(page.getByText(/^\d+ to add$/)).toBeVisible()
    const quotas = page.getByRole('complementary', { name: 'Quotas' })
    await expect(quotas.getByRole('listitem').filter({ hasText: 'Head node' })).toContainText('Enough')
    await expect(quotas.getByRole('listitem').filter({ hasText: 'Group 1' })).toContainText('Not enough')
    await inspect(page, picture, 'cloud-plan')
    // On a phone, the plan shows each change and its resource without the other columns.
    await page.setViewportSize(PHONE)
    const row = plan.getByRole('row', { name: /Add node node2/ })
    await row.scrollIntoViewIfNeeded()
    await expect(row).toBeInViewport({ ratio: 0.9 })
    await page.setViewportSize(DESK)
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Deploy Aurora' })
    await expect(dialog).toContainText('1 of 2 nodes would not fit')
    await expect(dialog).toContainText(/\d+ to add/)
    await expect(dialog).toContainText('estimate, not billed')
    await inspect(page, picture, 'cloud-deploy')
    // With the quota in place, the cloud would reject the deployment.
    await rm(quotasFile)
    await confirm(page, 'Deploy cluster')
    // On a busy machine, the cluster may already be deployed.
    const deployed = page.getByRole('main').getByText('Available', { exact: true })
    await expect(page.getByRole('progressbar').or(deployed).first()).toBeVisible()
    await inspect(page, picture, 'cloud-deploying', ['desk'])
    await state(page, 'Available')
  })

  await test.step('lists its machines and runs a job', async () => {
    await tab(page, 'Aurora', 'Machines')
    const machines = page.getByRole('table', { name: 'Machines' })
    await expect(machines.getByRole('row', { name: /Head node.*t3\.large/ })).toBeVisible()
    await expect(machines.getByRole('row', { name: /node2/ })).toContainText('c5.xlarge')
    await expect(
      page.getByRole('table', { name: 'Cloud resources' }).getByRole('row', { name: /Disk.*scratch/ }),
    ).toBeVisible()
    await inspect(page, picture, 'cloud-machines')
    await tab(page, 'Aurora', 'Connection')
    await expect(page.getByText('No machine has this address', { exact: false })).toBeVisible()
    await inspect(page, picture, 'cloud-connection', ['desk'])
    await runJob(server, id)
  })

  await test.step('destroy and deploy nodes', async () => {
    await tab(page, 'Aurora', 'Nodes')
    await page.getByRole('checkbox', { name: /node2/ }).check()
    await page
      .getByRole('group', { name: 'Selected rows' })
      .getByRole('button', { name: 'Destroy nodes' })
      .click()
    await expect(page.getByRole('dialog').getByRole('checkbox', { name: 'node2' })).toBeChecked()
    await inspect(page, picture, 'cloud-destroy-nodes', ['desk'])
    await confirm(page, 'Destroy 1 node')
    await expect(page.getByText('Node Destroy Initiated')).toBeVisible()
    await state(page, 'Available')
    await expect(page.getByRole('row', { name: /node2/ })).toContainText('not started')
    // The node was destroyed on purpose, so it is not shown as a problem.
    await expect(glance(page)).toContainText('1 not started')
    await expect(glance(page).locator('[data-tone="amber"]')).toHaveCount(0)
    await inspect(page, picture, 'cloud-not-started', ['desk'])
    await page.getByRole('button', { name: 'Deploy nodes' }).first().click()
    await page.getByRole('dialog').getByRole('checkbox', { name: 'node2' }).check()
    await confirm(page, 'Deploy 1 node')
    await expect(page.getByText('Node Deploy Initiated')).toBeVisible()
    await expect(page.getByRole('row', { name: /node2/ })).toContainText('Available', { timeout: 180_000 })
    await state(page, 'Available')
  })
})

test(
  'AWS: an admin adds a disk, resizes, changes the burst mode, and turns on the VPN and fast restore',
  { tag: SOAK },
  async ({ page, picture }) => {
    const id = await newCluster('Corona')
    await openLive(page, server, server.admin, `/clusters/${id}`)
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()
    await confirm(page, 'Deploy cluster')
    await state(page, 'Available')
    await tab(page, 'Corona', 'Nodes')

    await menu(page, 'Corona', 'Add disks')
    await expect(page.getByText('Existing disks: data, scratch.')).toBeVisible()
    await expect(page.getByText(/With these disks, the cluster costs at least \$/)).toBeVisible()
    await page.getByLabel('Name of disk 1').fill('Big One')
    await confirm(page, 'Add disk')
    await expect(page.getByText('Use lowercase letters, numbers and dashes')).toBeVisible()
    await page.getByLabel('Name of disk 1').fill('archive')
    await inspect(page, picture, 'cloud-add-disks', ['desk'])
    await confirm(page, 'Add disk')
    await expect(page.getByText('Add Disks Initiated')).toBeVisible()
    await state(page, 'Available')

    await menu(page, 'Corona', 'Resize')
    const resize = page.getByRole('dialog', { name: 'Resize Corona' })
    await resize.getByRole('group', { name: 'Group 1' }).getByLabel('Nodes').fill('3')
    await expect(resize.getByText(/With all nodes running, it will cost/)).toBeVisible()
    await inspect(page, picture, 'cloud-resize', ['desk'])
    await resize.getByRole('button', { name: 'Resize cluster' }).click()
    await expect(page.getByText('Cluster Resize Initiated')).toBeVisible()
    await expect(page.getByRole('row', { name: /node3/ })).toContainText('Available', { timeout: 180_000 })
    await state(page, 'Available')

    await menu(page, 'Corona', 'Burst mode')
    await expect(page.getByRole('radio', { name: 'Min' })).toBeFocused()
    await page.getByRole('radio', { name: 'Off' }).check()
    await inspect(page, picture, 'cloud-burst', ['desk'])
    await confirm(page, 'Save')
    await expect(page.getByText('Burst mode: off')).toBeVisible()

    await menu(page, 'Corona', 'OpenVPN')
    await confirm(page, 'Turn OpenVPN on')
    await state(page, 'Available')
    await tab(page, 'Corona', 'Connection')
    await expect(page.getByText('OpenVPN is on.', { exact: false })).toBeVisible({ timeout: 180_000 })
    await menu(page, 'Corona', 'Fast snapshot restore')
    await expect(page.getByRole('dialog')).toContainText('AWS charges for every hour')
    await expect(page.getByRole('link', { name: 'Sync prices under Settings > Cloud' })).toBeVisible()
    await inspect(page, picture, 'cloud-fast-restore', ['desk'])
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  },
)

test(
  'AWS: an admin edits, applies, stops and starts a cluster, and destroys it while keeping a disk',
  { tag: SOAK },
  async ({ page, picture }) => {
    const id = await newCluster('Borealis')
    await openLive(page, server, server.admin, `/clusters/${id}`)
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()
    await expect(page.getByRole('dialog')).toContainText('$0.4752')
    await confirm(page, 'Deploy cluster')
    await state(page, 'Available')
    await test.step('an edit takes effect when it is applied', async () => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Edit Borealis' })).toBeVisible()
      await expect(page.getByLabel('Value of tag 1')).toHaveValue('0042')
      await inspect(page, picture, 'cloud-edit', ['desk'])
      await page.getByLabel('Packages').fill('tmux')
      await page.getByLabel('Value of tag 1').fill('0043')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(page.getByText('Edited since it was deployed')).toBeVisible()
      await page.getByRole('button', { name: 'Plan changes', exact: true }).click()
      await confirm(page, 'Plan cluster')
      await expect(page.getByRole('table', { name: 'Planned changes' })).toContainText('0042 to 0043', {
        timeout: 180_000,
      })
      await page.getByRole('button', { name: 'Apply changes' }).click()
      const dialog = page.getByRole('dialog', { name: 'Apply changes to Borealis' })
      await expect(dialog).toContainText('Afterward, it costs')
      await inspect(page, picture, 'cloud-apply', ['desk'])
      const typed = dialog.getByRole('textbox')
      if (await typed.isVisible()) await typed.fill('Borealis')
      await confirm(page, 'Apply changes')
      await expect(page.getByText('Edited since it was deployed')).toHaveCount(0, { timeout: 180_000 })
      await state(page, 'Available')
    })

    await test.step('stop, start, destroy while keeping a disk, delete', async () => {
      await page.getByRole('button', { name: 'Stop', exact: true }).click()
      await expect(page.getByRole('dialog')).toContainText(
        'Their disks and reserved addresses are kept and still cost money',
      )
      await confirm(page, 'Stop cluster')
      await state(page, 'Stopped')
      await expect(glance(page)).toContainText(/\d stopped/)
      await expect(page.getByRole('main').locator('[data-tone="amber"]')).toHaveCount(0)
      await inspect(page, picture, 'cloud-stopped')
      await page.getByRole('button', { name: 'More actions for Borealis' }).click()
      await expect(page.getByRole('menuitem', { name: 'Resize' })).toHaveAccessibleDescription(
        'Not possible while the cluster’s state is stopped. It must be available.',
      )
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Start', exact: true }).click()
      await confirm(page, 'Start cluster')
      await state(page, 'Available')
      await menu(page, 'Borealis', 'Destroy')
      const dialog = page.getByRole('dialog', { name: 'Destroy Borealis' })
      await dialog.getByRole('checkbox', { name: /scratch/ }).check()
      await expect(dialog).toContainText('This includes the disk data')
      await inspect(page, picture, 'cloud-destroy')
      await dialog.getByRole('textbox').fill('Borealis')
      await dialog.getByRole('button', { name: 'Destroy cluster' }).click()
      await state(page, 'Destroyed')
      await confirmByName(page, 'Borealis', 'Delete')
      await expect(page.getByText('Cluster Deleted')).toBeVisible()
    })
  },
)
