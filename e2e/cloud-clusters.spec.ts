import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import {
  chooseSize,
  confirmByName,
  menu,
  newCloudCluster,
  next,
  formStep,
  price,
  runJob,
  setFaults,
  startClouds,
  state,
} from './clouds'
import { SOAK, expect, test } from './fixtures'
import type { Picture } from './fixtures'
import { openLive } from './people'
import { inspect } from './screen'
import type { Server } from './server'

let server: Server
test.beforeAll(async () => {
  server = await startClouds()
})
test.afterAll(() => server.stop())

const glance = (page: Page) => page.getByRole('region', { name: 'At a glance' })
const tab = (page: Page, cluster: string, name: string) =>
  page.getByRole('navigation', { name: cluster }).getByRole('link', { name }).click()
/** Confirms the open dialog with the given button. */
async function confirm(page: Page, button: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click()
}

/** Chooses a network of the account instead of typing its id, and leaves the form as it was. */
async function chooseFromAccount(page: Page, picture: Picture): Promise<void> {
  const open = (field: string) =>
    page.getByRole('button', { name: `Choose the ${field} from the account` }).click()
  const subnet = page.getByRole('textbox', { name: /^Subnet/ })
  const vpc = page.getByRole('textbox', { name: /^VPC/ })
  await open('VPC')
  const vpcs = page.getByRole('dialog', { name: 'VPC' })
  await expect(vpcs.getByRole('button', { name: 'Choose research' })).toContainText('172.31.0.0/16, default')
  await inspect(page, picture, 'account-vpcs')
  await vpcs.getByRole('textbox', { name: 'Search' }).fill('nowhere')
  await expect(vpcs.getByText('No match for “nowhere”')).toBeVisible()
  await vpcs.getByRole('button', { name: 'Clear search' }).click()
  await vpcs.getByRole('textbox', { name: 'Search' }).fill('172.31 DEFAULT')
  await vpcs.getByRole('button', { name: 'Choose research' }).click()
  await expect(vpc).toHaveValue(/^vpc-[0-9a-f]{17}$/)

  // Only what is in the chosen network, and nothing of one that is not there.
  await open('Subnet')
  await page.getByRole('dialog', { name: 'Subnet' }).getByRole('button', { name: 'Choose research' }).click()
  await expect(subnet).toHaveValue(/^subnet-/)
  await vpc.fill('vpc-0a1b2c3d4e5f67890')
  await open('Subnet')
  await expect(page.getByRole('dialog', { name: 'Subnet' })).toContainText(
    'There is none in VPC vpc-0a1b2c3d4e5f67890.',
  )
  await page.keyboard.press('Escape')

  // A cloud that refuses says why; ids can be typed all the same.
  await setFaults(server, { '*': { fault: 'badCredential' } })
  await open('Elastic IP')
  const addresses = page.getByRole('dialog', { name: 'Elastic IP' })
  await expect(addresses.getByRole('alert')).toContainText('InvalidClientTokenId')
  await inspect(page, picture, 'account-refused', ['phone'])
  await setFaults(server, {})
  await addresses.getByRole('button', { name: 'Try again' }).click()
  await expect(addresses.getByRole('button', { name: 'Choose head' })).toContainText('198.18.255.1')
  await page.keyboard.press('Escape')
  await vpc.fill('')
  await subnet.fill('')
}

test('create a cluster on AWS step by step, with its price', async ({ page, picture }) => {
  await openLive(page, server, server.admin, '/clusters?new=1')
  await page.getByRole('radio', { name: 'AWS' }).click()
  await expect(page.getByLabel('Credential')).toHaveValue(/./)
  await expect(page.getByText('24 regions, simulated')).toBeVisible()
  // What can be deployed is preselected, with the reason; the specification's default is still there to choose.
  await expect(page.getByText(/Ubuntu 24.04 is preselected: it is supported/)).toBeVisible()
  await page.getByLabel('Operating system').selectOption('centos-7')
  await expect(page.getByText(/CentOS 7 reached its end of life on 2024-06-30/)).toBeVisible()

  await test.step('errors appear on their fields and mark their steps', async () => {
    await page.getByLabel('Name', { exact: true }).fill('x')
    await next(page)
    await expect(page.getByText('Min character length is 2')).toBeVisible()
    await expect(formStep(page, 'Basics')).toHaveAccessibleName(/has errors/)
    await inspect(page, picture, 'cloud-new-wrong', ['desk'])
    await page.getByLabel('Name', { exact: true }).fill('Ember')
    await next(page)
    await expect(page.getByText('Region is required')).toBeVisible()
    await expect(formStep(page, 'Basics')).toHaveAttribute('aria-current', 'step')
    await expect(formStep(page, 'Network')).not.toHaveAccessibleName(/done/)
    await page.getByLabel('Operating system').selectOption('ubuntu-24.04')
    await page.getByLabel('Region').selectOption('eu-west-1')
    await page.getByLabel('Availability zone').selectOption('eu-west-1a')
    await inspect(page, picture, 'cloud-new-basics')
    await next(page)
    await expect(formStep(page, 'Basics')).toHaveAccessibleName(/done/)

    await page.locator('[data-step="head"]').getByRole('combobox', { name: 'Size' }).click()
    const sizes = page.getByRole('dialog', { name: 'Size of the head node' })
    await sizes.getByLabel('Min. GPUs').fill('8')
    await expect(sizes.getByRole('status')).toContainText(/^\d+ of \d+ sizes/)
    await expect(sizes.getByRole('row', { name: /p4d\.24xlarge/ })).toContainText('8')
    await inspect(page, picture, 'cloud-sizes')
    await page.keyboard.press('Escape')
    await chooseSize(page, 'Head node', 't3.large')
    await expect(price(page)).toContainText('$0.09')
    await page.getByRole('button', { name: 'Add a disk' }).click()
    await page.getByRole('button', { name: 'Add a disk' }).click()
    await page.getByRole('button', { name: 'Attach an existing disk' }).click()
    await page.getByRole('button', { name: 'Add a file system' }).click()
    await expect(price(page)).toContainText('$0.09')
    await next(page)
    await expect(page.getByLabel('ID of disk 3')).toHaveAccessibleDescription('Enter the ID of the disk')
    await expect(page.getByLabel('ID of disk 3')).toBeFocused()
    await expect(page.getByLabel('Source of file system 1')).toHaveAccessibleDescription(/^Enter a server/)
    await page.getByRole('button', { name: 'Remove file system 1' }).click()
    await page.getByRole('button', { name: 'Remove disk data3' }).click()
    await page.getByLabel('Name of disk 2').fill('data')
    await next(page)

    await chooseSize(page, 'Group 1', 'c5.xlarge')
    const group = page.getByRole('region', { name: 'Group 1' })
    await group.getByLabel('Nodes').fill('-3')
    await expect(price(page)).toContainText('Fix the invalid numbers to see a price')
    await expect(group).not.toContainText('node1')
    await group.getByLabel('Nodes').fill('2')
    await expect(group).toContainText('node1 to node2')
    await group.getByRole('switch', { name: 'Elastic Fabric Adapter' }).click()
    await next(page)
    await expect(
      group.getByText('c5.xlarge has no Elastic Fabric Adapter. Choose another size.'),
    ).toBeVisible()
    await expect(formStep(page, 'Nodes')).toHaveAccessibleName(/has errors/)
    await inspect(page, picture, 'cloud-new-impossible')
    await group.getByRole('switch', { name: 'Elastic Fabric Adapter' }).click()
    await expect(group.getByText(/has no Elastic Fabric Adapter/)).toHaveCount(0)
    await page.getByRole('button', { name: 'Duplicate group 1' }).click()
    await expect(page.getByRole('region', { name: 'Group 2' })).toContainText('node3 to node4')
    await expect(price(page)).toContainText('4 × nodes, c5.xlarge')
    await inspect(page, picture, 'cloud-new-nodes')
    await page.getByRole('button', { name: 'Remove group 2' }).click()
    await expect(price(page)).toContainText('2 × nodes, c5.xlarge')
    await expect(price(page)).toContainText('estimate, not billed')
    await expect(price(page).getByText('no price').first()).toBeVisible()
    await next(page)
    // The machine of the test may have a public address, which is let in.
    for (const range of await page.getByRole('button', { name: /^Remove range/ }).all()) await range.click()
    await next(page)
    await expect(page.getByText('Enter who can connect, or allow everyone')).toBeVisible()
    await page.getByLabel('Allowed source ranges').fill('203.0.113.5/24')
    await next(page)
    await expect(page.getByText('203.0.113.5/24: the range begins at 203.0.113.0/24')).toBeVisible()
    await page.getByLabel('Allow everyone').check()
    await expect(page.getByText('The whole internet can connect to the head node')).toBeVisible()
    await inspect(page, picture, 'cloud-new-network', ['desk'])
    await chooseFromAccount(page, picture)
    await next(page)
    await expect(page.getByRole('radio', { name: 'Slurm' })).toBeChecked()
    await expect(page.getByText('Slurm is preselected: this site has no packages of Torque.')).toBeVisible()
    await page.getByLabel('Packages').fill('htop')
    await page.getByRole('textbox', { name: 'Script' }).fill('#!/bin/sh\necho "${HOME}"\n')
    await next(page)
    await page.getByRole('button', { name: 'Add a tag' }).click()
    await page.getByLabel('Name of tag 1').fill('cost_center')
    await page.getByLabel('Value of tag 1').fill('0042')
    await next(page)
    await expect(page.getByText('2 × c5.xlarge, node1 to node2')).toBeVisible()
    await inspect(page, picture, 'cloud-new-summary')
  })

  await test.step('server errors appear on their fields, in their steps', async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByText('Two disks are named data')).toBeVisible()
    await expect(formStep(page, 'Head node')).toHaveAccessibleName(/has errors/)
    await formStep(page, 'Summary').click()
    await page.getByRole('button', { name: 'Some steps have errors' }).click()
    await expect(formStep(page, 'Head node')).toHaveAttribute('aria-current', 'step')
    await page.getByLabel('Name of disk 2').fill('scratch')
    await formStep(page, 'Summary').click()
  })

  await test.step('save and plan lists every planned change and creates nothing', async () => {
    await page.getByRole('button', { name: 'Save and plan' }).click()
    await expect(page).toHaveURL(/\/clusters\/\w+\/plan/)
    await state(page, 'Planned')
    // Nodes come up when jobs wait for them.
    await expect(page.getByRole('table', { name: 'Planned changes' })).toContainText('disk scratch')
    await confirmByName(page, 'Ember', 'Destroy')
    await state(page, 'Destroyed')
  })
})

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

test('AWS: plan, deploy, nodes, disks, sizes, burst, VPN', async ({ page, picture }) => {
  const id = await newCluster('Aurora')
  await openLive(page, server, server.admin, `/clusters/${id}`)
  await test.step('plan, with a warning that the quota is not enough, then deploy that plan', async () => {
    // The head node has 2 vCPUs, and each node 4.
    const simulated = join(server.dataDir, 'simulated')
    await mkdir(simulated, { recursive: true })
    await writeFile(join(simulated, 'quotas.json'), JSON.stringify({ aws: { 'L-1216C47A': 8 } }))
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
    await page.getByRole('button', { name: 'Deploy', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Deploy Aurora' })
    await expect(dialog).toContainText('1 of 2 nodes would not fit')
    await expect(dialog).toContainText(/\d+ to add/)
    await expect(dialog).toContainText('estimate, not billed')
    await inspect(page, picture, 'cloud-deploy')
    await confirm(page, 'Deploy cluster')
    await expect(page.getByRole('progressbar')).toBeVisible()
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
    // It is meant to be down, so nothing is wrong.
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

  await test.step('add a disk, resize, change the burst mode, turn on the VPN and fast restore', async () => {
    await menu(page, 'Aurora', 'Add disks')
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

    await menu(page, 'Aurora', 'Resize')
    const resize = page.getByRole('dialog', { name: 'Resize Aurora' })
    await resize.getByRole('group', { name: 'Group 1' }).getByLabel('Nodes').fill('3')
    await expect(resize.getByText(/With all nodes running, it will cost/)).toBeVisible()
    await inspect(page, picture, 'cloud-resize', ['desk'])
    await resize.getByRole('button', { name: 'Resize cluster' }).click()
    await expect(page.getByText('Cluster Resize Initiated')).toBeVisible()
    await expect(page.getByRole('row', { name: /node3/ })).toContainText('Available', { timeout: 180_000 })
    await state(page, 'Available')

    await menu(page, 'Aurora', 'Burst mode')
    await expect(page.getByRole('radio', { name: 'Min' })).toBeFocused()
    await page.getByRole('radio', { name: 'Off' }).check()
    await inspect(page, picture, 'cloud-burst', ['desk'])
    await confirm(page, 'Save')
    await expect(page.getByText('Burst mode: off')).toBeVisible()

    await menu(page, 'Aurora', 'OpenVPN')
    await confirm(page, 'Turn OpenVPN on')
    await state(page, 'Available')
    await tab(page, 'Aurora', 'Connection')
    await expect(page.getByText('OpenVPN is on.', { exact: false })).toBeVisible({ timeout: 180_000 })
    await menu(page, 'Aurora', 'Fast snapshot restore')
    await expect(page.getByRole('dialog')).toContainText('AWS charges for every hour')
    await expect(page.getByRole('link', { name: 'Sync prices in Settings, Cloud' })).toBeVisible()
    await inspect(page, picture, 'cloud-fast-restore', ['desk'])
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  })
})

test(
  'AWS: edit, apply, stop, start, and destroy while keeping a disk',
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
      await expect(page.getByRole('menuitem', { name: /^Resize/ })).toContainText(
        'Not possible while the cluster is stopped. It must be available.',
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
