import { api } from '@flotilla/contract/api'
import type { Locator, Page } from '@playwright/test'
import { chooseFromAccount } from './support/choose-from-account'
import { chooseSize, confirmByName, formStep, next, price, state } from './support/clouds'
import { SOAK, expect, test } from './support/fixtures'
import { openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ clouds }) => {
  server = clouds
})

test(
  'the form keeps its values when one of its option lists cannot be loaded',
  { tag: SOAK },
  async ({ page }) => {
    const failure = {
      statusCode: 500,
      code: 'internal',
      error: 'Internal Server Error',
      message: 'It failed',
    }
    await page.route(
      ({ pathname }) => pathname === api.stacks.list.path,
      (route) => route.fulfill({ status: 500, json: failure }),
    )
    await openLive(page, server, server.admin, '/clusters?new=1')
    await page.getByRole('radio', { name: 'AWS' }).click()
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.fill('kept')
    // The page retries when the tab becomes visible again.
    const again = page.waitForResponse(
      (response) => new URL(response.url()).pathname === api.stacks.list.path,
    )
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await again
    await expect(name).toHaveValue('kept')
  },
)

test('an admin creates a cluster on AWS step by step and sees its price', async ({ page, picture }) => {
  await openLive(page, server, server.admin, '/clusters?new=1')
  await page.getByRole('radio', { name: 'AWS' }).click()
  await expect(page.getByLabel('Credential')).toHaveValue(/./)
  await expect(page.getByText('24 regions, simulated')).toBeVisible()
  // A system that can be deployed is preselected, with the reason; the specification's default can still be chosen.
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
    // A missing value stays marked when the field loses the focus.
    await next(page)
    await page.getByRole('button', { name: 'Add a disk' }).focus()
    await expect(page.getByText('Size is required')).toBeVisible()
    await chooseSize(page, 'Head node', 't3.large')
    await expect(page.getByText('Size is required')).toHaveCount(0)
    await expect(price(page)).toContainText('$0.09')
    await page.getByRole('button', { name: 'Add a disk' }).click()
    await page.getByRole('button', { name: 'Add a disk' }).click()
    await page.getByRole('button', { name: 'Attach an existing disk' }).click()
    await page.getByRole('button', { name: 'Add a file system' }).click()
    await expect(price(page)).toContainText('$0.09')
    await next(page)
    await expect(page.getByLabel('ID of disk 3')).toHaveAccessibleDescription('Enter the ID of the disk')
    await expect(page.getByLabel('ID of disk 3')).toBeFocused()
    const source = page.getByLabel('Source of file system 1')
    await expect(source).toHaveAccessibleDescription(/^Enter a server/)
    await expect(page.getByText('EFS: fs-0a1b2c3d4e5f67890.efs')).toBeVisible()
    await expect(page.getByText('A network created just for this cluster cannot reach them')).toBeVisible()
    // The error stays until it is fixed, even when another field of the list loses the focus.
    await page.getByLabel('ID of disk 3').fill('vol-xyz')
    await page.getByLabel('Mount path of file system 1').fill('/data')
    await source.focus()
    await expect(source).toHaveAccessibleDescription(/^Enter a server/)
    await expect(page.getByLabel('ID of disk 3')).toHaveAccessibleDescription(/such as vol-0a1b2c3d/)
    await page.getByRole('button', { name: 'Choose the File system 1 from the account' }).click()
    const fileSystems = page.getByRole('dialog', { name: 'File system 1' })
    await expect(fileSystems.getByRole('button', { name: 'Choose home' })).toBeVisible()
    await inspect(page, picture, 'account-file-systems')
    await fileSystems.getByRole('button', { name: 'Choose home' }).click()
    await expect(source).toHaveValue('fs-0c0ffee0000000001.efs.eu-west-1.amazonaws.com:/')
    await expect(source).not.toHaveAccessibleDescription(/^Enter a server/)
    await page.getByLabel('Type of file system 1').selectOption('lustre')
    await page.getByRole('button', { name: 'Choose the File system 1 from the account' }).click()
    await fileSystems.getByRole('button', { name: 'Choose scratch' }).click()
    await expect(source).toHaveValue(/@tcp:\/scratch$/)
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
    // If the test machine has a public address, the form has added its range.
    for (const range of await page.getByRole('button', { name: /^Remove range/ }).all()) await range.click()
    await next(page)
    await expect(page.getByText('Enter who can connect, or allow everyone')).toBeVisible()
    await page.getByLabel('Allowed source ranges').fill('203.0.113.5/24')
    await next(page)
    await expect(page.getByText('203.0.113.5/24: the range begins at 203.0.113.0/24')).toBeVisible()
    await page.getByLabel('Allow everyone').check()
    await expect(page.getByText('The whole internet can connect to the head node')).toBeVisible()
    await inspect(page, picture, 'cloud-new-network', ['desk'])
    await chooseFromAccount(page, picture, server)
    await next(page)
    await expect(page.getByRole('radio', { name: 'Slurm' })).toBeChecked()
    await expect(page.getByText('Slurm is preselected: this site has no Torque packages.')).toBeVisible()
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
    // Nodes start when jobs wait for them.
    await expect(page.getByRole('table', { name: 'Planned changes' })).toContainText('disk scratch')
    await confirmByName(page, 'Ember', 'Destroy')
    await state(page, 'Destroyed')
  })
})

/** Presses Tab until the control has the focus, like a user without a mouse. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await expect(control).toBeVisible()
  for (let pressed = 0; pressed < 80; pressed += 1) {
    await page.keyboard.press('Tab')
    if (await control.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error('Tab does not lead to this control')
}

test(
  'an admin creates and deploys a cluster with the keyboard alone; Back returns to the previous step',
  { tag: SOAK },
  async ({ page }) => {
    const press = async (control: Locator, key = 'Enter') => {
      await tabTo(page, control)
      await page.keyboard.press(key)
    }
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const heading = (name: string) => expect(page.locator('[data-heading]', { hasText: name })).toBeFocused()
    const size = async (within: Locator, name: string) => {
      const field = within.getByRole('combobox', { name: 'Size' })
      await press(field)
      await expect(page.getByRole('textbox', { name: 'Search' })).toBeFocused()
      await page.keyboard.type(name)
      await page.keyboard.press('Enter')
      await expect(field).toContainText(name)
      await expect(field).toBeFocused()
    }
    await openLive(page, server, server.admin, '/clusters')
    await press(page.getByRole('link', { name: 'New cluster' }))
    // The cards keep the focus when they move to the page of another cloud.
    await tabTo(page, page.getByRole('radio', { name: 'Your machines' }))
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('radio', { name: 'Oracle' })).toBeFocused()
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('radio', { name: 'AWS' })).toBeFocused()
    await tabTo(page, page.getByLabel('Name', { exact: true }))
    await page.keyboard.type('Keys')
    await tabTo(page, page.getByLabel('Region'))
    await page.keyboard.type('Europe (Ire')
    await press(button('Next'))
    await heading('Head node')
    await size(page.locator('[data-step="head"]'), 't3.large')
    await press(button('Next'))
    await heading('Nodes')

    await test.step('Back shows the previous step, then asks for confirmation', async () => {
      await page.goBack()
      await heading('Head node')
      await page.goBack()
      await heading('Basics')
      await page.goBack()
      const question = page.getByRole('dialog', { name: 'Leave without saving?' })
      await expect(question).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Keys')
      await press(button('Next'))
      await press(button('Next'))
      await heading('Nodes')
      // Going back twice at once shows the previous step, and the browser stays on the form.
      await page.evaluate(() => {
        history.back()
        history.back()
      })
      await heading('Head node')
      await expect.poll(() => new URL(page.url()).search).toBe('?new=aws')
      await press(button('Next'))
      await heading('Nodes')
    })

    await size(page.getByRole('region', { name: 'Group 1' }), 'c5.xlarge')
    await press(button('Next'))
    await heading('Network')
    await press(page.getByLabel('Allow everyone'), 'Space')
    await press(button('Next'))
    await heading('Software')
    await press(button('Next'))
    await heading('Advanced')
    await press(button('Next'))
    await heading('Summary')
    await press(button('Save and deploy'))
    await press(page.getByRole('dialog').getByRole('button', { name: 'Save and deploy' }))
    await expect(page.getByRole('heading', { name: 'Keys' })).toBeFocused()
    await state(page, 'Available')
    await confirmByName(page, 'Keys', 'Destroy')
    await state(page, 'Destroyed')
  },
)
