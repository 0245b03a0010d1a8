import { generateKeyPairSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { expectState, newLocalCluster, type Made } from './support/local-cluster'
import { newPerson, openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ server: shared }) => {
  server = shared
})

const tab = (page: Page, cluster: Made, name: string) =>
  page.getByRole('navigation', { name: cluster.name }).getByRole('link', { name }).click()
const nodeRow = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Nodes' }).getByRole('row', { name: new RegExp(`${name}\\b`) })

test('a user opens the cluster list and every tab of a cluster', async ({ page, picture }) => {
  const cluster = await newLocalCluster(server, 'Blades')
  await openLive(page, server, server.admin, '/clusters')
  await expect(page.getByRole('row', { name: /Blades.*Available/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /This machine.*Available/ })).toBeVisible()
  await inspect(page, picture, 'clusters')

  await page.getByRole('link', { name: 'Blades' }).click()
  await expectState(page, 'Available')
  await expect(page.getByText('The queue is empty')).toBeVisible()
  await inspect(page, picture, 'cluster-queue', ['desk'])
  await tab(page, cluster, 'Nodes')
  await expect(nodeRow(page, 'blade1')).toContainText('Available')
  await nodeRow(page, 'blade1').getByRole('link', { name: 'blade1' }).click()
  const panel = page.getByRole('dialog', { name: 'blade1' })
  await expect(panel.getByText('No jobs are running here.')).toBeVisible()
  await inspect(page, picture, 'cluster-node', ['desk'])
  await panel.getByRole('button', { name: 'Close dialog' }).click()
  await expect(panel).toHaveCount(0)
  await inspect(page, picture, 'cluster-nodes', ['desk'])
  for (const [name, sign] of [
    ['Load', /Load/],
    ['Activities', /admin/],
    ['Logs', /blade|node|Available|attach/i],
    ['Connection', 'How to connect'],
  ] as const) {
    await tab(page, cluster, name)
    await expect(page.getByRole('main').getByText(sign).first()).toBeVisible()
    await inspect(page, picture, `cluster-${name.toLowerCase()}`, ['desk'])
  }
  await page.getByRole('button', { name: 'Test connection' }).click()
  await expect(page.getByRole('status').getByRole('listitem').first()).toContainText('Passed:')
  await expect(page.getByText('Failed:')).toHaveCount(0)
})

test(
  'another user sees live that a node is drained with a reason and resumed',
  { tag: SOAK },
  async ({ page, browser }) => {
    const person = await newPerson(server)
    const cluster = await newLocalCluster(server, 'Shared', { collaborators: [person.username] })
    const context = await browser.newContext()
    const other = await context.newPage()
    await openLive(other, server, person, `/clusters/${cluster.id}/nodes`)
    await openLive(page, server, server.admin, `/clusters/${cluster.id}/nodes`)
    for (const each of [page, other]) await expect(nodeRow(each, 'blade1')).toContainText('Available')

    await page.getByRole('button', { name: 'Actions for blade1' }).click()
    await page.getByRole('menuitem', { name: 'Drain' }).click()
    const dialog = page.getByRole('dialog', { name: 'Drain blade1' })
    await expect(dialog.getByRole('button', { name: 'Drain' })).toBeDisabled()
    await dialog.getByLabel('Reason').fill('a fan is loud')
    await dialog.getByRole('button', { name: 'Drain' }).click()
    for (const each of [page, other]) {
      await expect(nodeRow(each, 'blade1')).toContainText('Offline')
      await expect(nodeRow(each, 'blade1')).toContainText('a fan is loud')
      await expect(nodeRow(each, 'blade2')).toContainText('Available')
    }
    // A user who does not own it sees why they cannot change it.
    await other.getByRole('button', { name: 'Actions for blade1' }).click()
    await expect(other.getByRole('menuitem', { name: /^Resume/ })).toBeDisabled()
    await other.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Actions for blade1' }).click()
    await page.getByRole('menuitem', { name: 'Resume' }).click()
    for (const each of [page, other]) await expect(nodeRow(each, 'blade1')).toContainText('Available')
    await context.close()
  },
)

test(
  'a second browser shows live how a cluster is stopped, started, destroyed and deleted',
  { tag: SOAK },
  async ({ page, browser }) => {
    const person = await newPerson(server)
    const cluster = await newLocalCluster(server, 'Short lived')
    const context = await browser.newContext()
    const other = await context.newPage()
    await openLive(other, server, person, '/clusters')
    await expect(other.getByRole('row', { name: /This machine/ })).toBeVisible()
    await expect(other.getByRole('link', { name: 'Short lived' })).toHaveCount(0)

    await openLive(page, server, server.admin, `/clusters/${cluster.id}/edit`)
    await page.getByLabel('Collaborators').fill(person.username)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(other.getByRole('row', { name: /Short lived.*Available/ })).toBeVisible()
    await other.getByRole('link', { name: 'Short lived' }).click()

    const expectInBoth = async (word: string) => {
      for (const each of [page, other]) await expectState(each, word)
    }
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop cluster' }).click()
    await expectInBoth('Stopped')
    await tab(page, cluster, 'Logs')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(page.getByRole('log', { name: 'Stop log' })).toContainText(
      /blade2 no longer accepts new jobs/,
    )
    await page.getByRole('button', { name: 'Start', exact: true }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start cluster' }).click()
    await expectInBoth('Available')

    const confirmByName = async (action: string) => {
      await page.getByRole('button', { name: 'More actions for Short lived' }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
      const dialog = page.getByRole('dialog', { name: `${action} Short lived` })
      const confirm = dialog.getByRole('button', { name: `${action} cluster` })
      await dialog.getByRole('textbox').fill('Short')
      await expect(confirm).toBeDisabled()
      await dialog.getByRole('textbox').fill('Short lived')
      await confirm.click()
    }
    await confirmByName('Destroy')
    await expectInBoth('Destroyed')
    await confirmByName('Delete')
    await expect(page.getByText('Cluster Deleted')).toBeVisible()
    await expect(page).toHaveURL(`${server.url}/clusters`)
    await expect(page.getByRole('link', { name: 'Short lived' })).toHaveCount(0)
    await expect(other.getByText('Cluster not found')).toBeVisible()
    await context.close()
  },
)

test('attaching a head node over SSH shows errors on their fields and where a connection test fails', async ({
  page,
  picture,
}) => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  await openLive(page, server, server.admin, '/clusters')
  await page.getByRole('link', { name: 'New cluster' }).click()
  await page.getByRole('radio', { name: 'A head node over SSH' }).check()
  await page.getByLabel('Host').fill('not a host')
  await page.getByLabel('Account', { exact: true }).fill('Root User')
  // The field shows its error only after the click: otherwise the button would move away from the pointer.
  await page.getByRole('button', { name: 'Save', exact: true }).hover()
  await page.mouse.down()
  await expect(page.getByLabel('Account', { exact: true })).not.toBeFocused()
  await expect(page.getByLabel('Account', { exact: true })).not.toHaveAttribute('aria-invalid')
  await page.mouse.up()
  await expect(page.getByText('Enter a Unix account name')).toBeVisible()
  await expect(page.getByText('Enter a hostname or IP address')).toBeVisible()
  await expect(page.getByText('Min character length is 2')).toBeVisible()
  await expect(page.getByLabel('Host')).toHaveAttribute('aria-invalid', 'true')
  await inspect(page, picture, 'cluster-new', ['desk'])

  await page.getByLabel('Name', { exact: true }).fill('Far away')
  await page.getByLabel('Host').fill('127.0.0.1')
  await page.getByLabel('Port').fill('1')
  await page.getByLabel('Account', { exact: true }).fill('nobody')
  await page.getByRole('radio', { name: 'An existing key' }).check()
  await page.getByLabel('Private key').fill(privateKey)
  await page.getByRole('button', { name: 'Test connection' }).click()
  const step = page.getByRole('status').getByRole('listitem').last()
  await expect(step).toContainText('Failed:')
  await expect(step).toContainText('127.0.0.1')
  await inspect(page, picture, 'cluster-test-failed', ['desk'])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('link', { name: 'Far away' })).toHaveCount(0)
})

test(
  'a cluster on this machine is shared, exported as YAML, imported and copied',
  { tag: SOAK },
  async ({ page, picture }) => {
    const person = await newPerson(server)
    const cluster = await newLocalCluster(server, 'Portable', { description: 'two\nlines: with a colon' })
    const menu = async (action: string) => {
      await page.getByRole('button', { name: 'More actions for Portable', exact: true }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    await openLive(page, server, server.admin, `/clusters/${cluster.id}`)
    await menu('Share')
    const share = page.getByRole('dialog', { name: 'Share Portable' })
    await share.getByLabel('Shared with').fill('nobody-of-this-name')
    await share.getByRole('button', { name: 'Save' }).click()
    await expect(share.getByText('No user named nobody-of-this-name')).toBeVisible()
    await share.getByRole('button', { name: /nobody-of-this-name/ }).click()
    await share.getByLabel('Shared with').fill(person.username)
    await share.getByLabel('Shared with').press('Enter')
    await inspect(page, picture, 'cluster-share', ['desk'])
    await share.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Sharing updated')).toBeVisible()

    const downloaded = page.waitForEvent('download')
    await menu('Export as YAML')
    const file = await downloaded
    expect(file.suggestedFilename()).toBe('Portable.yaml')
    const text = await readFile(await file.path(), 'utf8')
    expect(text).toContain('provider: local')
    expect(text).toContain(`- ${person.username}`)
    await page.goto(`${server.url}/clusters?new=1`)
    await page.getByRole('button', { name: 'Import YAML' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a cluster' })
    await dialog.getByLabel('YAML').fill(text.replace('count: 2', 'count: many'))
    await dialog.getByRole('button', { name: 'Open in form' }).click()
    await expect(dialog.getByRole('alert')).toContainText(
      /Line \d+: data\.virtualNodes\.count: Enter a number/,
    )
    await dialog.getByLabel('YAML').fill(text.replace('name: Portable', 'name: From a file'))
    await dialog.getByRole('button', { name: 'Open in form' }).click()
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('From a file')
    await expect(page.getByLabel('Description')).toHaveValue('two\nlines: with a colon')
    await expect(page.getByLabel('Name prefix')).toHaveValue('blade')
    await inspect(page, picture, 'cluster-from-file', ['desk'])
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'From a file' })).toBeVisible()

    await page.goto(`${server.url}/clusters/${cluster.id}`)
    await menu('Duplicate')
    await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Portable copy')
    await expect(page.getByLabel('Name prefix')).toHaveValue('blade')
  },
)

test('a user opens a terminal on the head node', async ({ page, picture }) => {
  const cluster = await newLocalCluster(server, 'With a shell')
  await openLive(page, server, server.admin, `/clusters/${cluster.id}/terminal`)
  await page.getByRole('button', { name: 'Open terminal' }).click()
  const terminal = page.getByRole('region', { name: /^Terminal on/ })
  await expect(terminal.getByRole('status')).toContainText('Open')
  await expect(terminal.getByRole('list')).toContainText('admin@with-a-shell:~$')
  await terminal.getByRole('textbox').focus()
  await page.keyboard.type('echo "sum: $((40 + 2))"; id -u\n')
  await expect(terminal.getByRole('list')).toContainText('sum: 42')
  await inspect(page, picture, 'cluster-terminal', ['desk'])
  await page.keyboard.type('exit\n')
  await expect(terminal.getByRole('status')).toContainText('Ended')
  // Tab and Shift+Tab leave the ended terminal.
  await expect(terminal.getByRole('textbox')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(terminal.getByRole('textbox')).not.toBeFocused()
  await terminal.getByRole('textbox').focus()
  await page.keyboard.press('Control+Shift+E')
  await expect(terminal.getByRole('button', { name: 'Open again' })).toBeFocused()
  await tab(page, cluster, 'Activities')
  await expect(page.getByRole('row', { name: /terminal/i })).toBeVisible()
})
