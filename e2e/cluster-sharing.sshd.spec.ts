import { api } from '@flotilla/contract/api'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHostileHead, type HostileHead } from '../apps/server/test/support/machines/hostile-head'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, logIn, newPerson, openLive } from './support/people'
import { chooseJob, inspect } from './support/screen'
import type { Server } from './support/server'

let folder: string
let head: HostileHead
let server: Server
test.beforeAll(async ({ server: shared }) => {
  server = shared
  folder = await mkdtemp(join(tmpdir(), 'flotilla-e2e-sharing-'))
  head = await startHostileHead(folder)
})
test.afterAll(async () => {
  await allowPrivate(false)
  await head.close()
  await rm(folder, { recursive: true, force: true })
})

const allowPrivate = async (privateHeadNodes: boolean) =>
  call(server, api.settings.setSecurity, { body: { privateHeadNodes } }, await adminToken(server))
const dataOf = (more: object = {}) => ({
  manager: 'torque' as const,
  transport: 'ssh' as const,
  head: {
    host: head.host,
    port: head.port,
    username: 'keeper',
    key: 'given' as const,
    privateKey: head.privateKey,
    ...more,
  },
})

test(
  'nothing runs under a collaborator’s account before they accept',
  { tag: SOAK },
  async ({ page, browser, picture }) => {
    await allowPrivate(true)
    const owner = await newPerson(server, ['user'], { username: 'mallory' })
    const bob = await newPerson(server, ['user'], { username: 'bobby' })
    const { token } = await logIn(server, owner)
    const { id } = await call(
      server,
      api.clusters.createLocal,
      { body: { name: 'Lab', data: dataOf() } },
      token,
    )
    await call(server, api.clusters.deploy, { body: { id } }, token)
    const { token: bobs } = await logIn(server, bob)
    await call(
      server,
      api.jobs.create,
      { body: { name: 'hello', data: { walltime: '00:05:00', cores: 2, script: '#!/bin/bash\ntrue\n' } } },
      bobs,
    )

    // Bob does not see it yet.
    await openLive(page, server, bob, '/clusters')
    await expect(page.getByRole('link', { name: 'This machine' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Lab' })).toHaveCount(0)

    const others = await (await browser.newContext()).newPage()
    await openLive(others, server, owner, `/clusters/${id}`)
    await expect(others.getByText('Available', { exact: true }).first()).toBeVisible()
    await others.getByRole('button', { name: 'More actions for Lab', exact: true }).click()
    await others.getByRole('menuitem', { name: 'Share', exact: true }).click()
    const share = others.getByRole('dialog', { name: 'Share Lab' })
    await expect(share.getByText(/once they accept it, submit jobs/)).toBeVisible()
    await share.getByLabel('Shared with').fill('bobby')
    await share.getByRole('button', { name: 'Save' }).click()
    await expect(others.getByText('Sharing updated')).toBeVisible()

    // His list asks him to accept, without a reload.
    const main = page.getByRole('main')
    await expect(main.getByText('mallory shared Lab with you')).toBeVisible()
    await expect(main.getByText(`${head.host}, port ${head.port}`)).toBeVisible()
    await expect(main.getByText(/^SHA256:/)).toBeVisible()
    await inspect(page, picture, 'cluster-list-asked')

    await page.getByRole('link', { name: 'Lab' }).click()
    await expect(page.getByRole('heading', { name: 'Lab', level: 1 })).toBeVisible()
    await expect(main.getByText('mallory shared Lab with you')).toBeVisible()
    await inspect(page, picture, 'cluster-asked')
    await page.getByRole('navigation', { name: 'Lab' }).getByRole('link', { name: 'Terminal' }).click()
    await expect(page.getByRole('button', { name: 'Open terminal' })).toBeDisabled()

    await page.goto(`${server.url}/jobs`)
    await page.getByRole('button', { name: 'Quick job' }).click()
    const dialog = page.getByRole('dialog', { name: 'Quick Job Submit' })
    await chooseJob(dialog, 'hello')
    const lab = dialog.getByRole('radio', { name: 'Lab' })
    await expect(lab).toBeDisabled()
    await expect(
      dialog.getByText('mallory shared this cluster with you. Accept it on its page'),
    ).toBeVisible()
    await inspect(page, picture, 'quick-job-not-accepted', ['desk'])
    expect(head.used).not.toContain('bobby')

    await page.goto(`${server.url}/clusters/${id}`)
    await page.getByRole('button', { name: 'Accept', exact: true }).click()
    await expect(main.getByText('mallory shared Lab with you')).toHaveCount(0)
    await page.goto(`${server.url}/jobs`)
    await page.getByRole('button', { name: 'Quick job' }).click()
    await chooseJob(dialog, 'hello')
    await lab.check()
    await dialog.getByRole('button', { name: 'Submit' }).click()
    await expect(page.getByText('Job Submitted')).toBeVisible()
    expect(head.used).toContain('bobby')

    // The owner changes the connection, so Bob has to accept again, and declines.
    await page.goto(`${server.url}/clusters/${id}`)
    const port = await head.move()
    const cluster = { id, name: 'Lab', collaborators: ['bobby'], data: dataOf({ port }) }
    await call(server, api.clusters.updateLocal, { body: cluster }, token)
    await expect(main.getByText('The connection to Lab has changed')).toBeVisible()
    await page.getByRole('button', { name: 'Decline' }).click()
    await expect(page).toHaveURL(`${server.url}/clusters`)
    await expect(page.getByRole('link', { name: 'This machine' })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Lab' })).toHaveCount(0)
  },
)

test(
  'a user without the admin role sees which fields only an admin can set, and why',
  { tag: SOAK },
  async ({ page, picture }) => {
    await allowPrivate(false)
    const person = await newPerson(server)
    await openLive(page, server, person, '/clusters?new=1')
    await page.getByLabel('Name', { exact: true }).fill('Rack')
    await page.getByLabel('Host', { exact: true }).fill('10.0.0.5')
    await page.getByLabel('Account', { exact: true }).fill('keeper')
    await page.getByText('More', { exact: true }).click()
    for (const label of ['slurm.conf', 'Command folder']) {
      const field = page.getByRole('textbox', { name: label })
      await expect(field).toBeDisabled()
      await expect(field).toHaveAccessibleDescription(/Only admins can set this/)
    }
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByRole('textbox', { name: 'Host' })).toHaveAccessibleDescription(
      /Only admins can use head nodes at private addresses/,
    )
    await inspect(page, picture, 'cluster-form-ordinary')

    // When an imported file sets these fields, the form leaves them out.
    await page.getByRole('button', { name: 'Import YAML' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a cluster' })
    const lines = ['name: Rack', 'provider: local', 'data:', '  manager: slurm', '  transport: ssh']
    const headLines = [
      '  head:',
      '    host: head.example.org',
      '    username: keeper',
      '    binFolder: /tmp/evil',
    ]
    await dialog.getByLabel('YAML').fill([...lines, ...headLines].join('\n'))
    await dialog.getByRole('button', { name: 'Open in form' }).click()
    await expect(page.getByText('The command folder and slurm.conf were left out')).toBeVisible()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page).toHaveURL(/\/clusters\/[^/]+\/connection$/)
  },
)

test(
  'unconfirmed paths are shown as unused, and an admin is told that saving confirms them',
  { tag: SOAK },
  async ({ page, picture }) => {
    const token = await adminToken(server)
    const far = { host: 'head.example.org', username: 'keeper', binFolder: '/opt/slurm/bin' }
    const { id } = await call(
      server,
      api.clusters.createLocal,
      { body: { name: 'Old', data: { manager: 'slurm', transport: 'ssh', head: far } } },
      token,
    )
    // No API call leads to this state, only an upgrade of the console.
    await page.route(`**${api.clusters.view.path.replace(':id', id)}`, async (route) => {
      const response = await route.fetch()
      const cluster: { data: object } = await response.json()
      await route.fulfill({
        response,
        json: { ...cluster, data: { ...cluster.data, pathsConfirmed: false } },
      })
    })
    await openLive(page, server, server.admin, `/clusters/${id}`)
    await expect(page.getByText('This cluster’s custom paths are not in use')).toBeVisible()
    await inspect(page, picture, 'cluster-paths-unused', ['desk'])
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await expect(page.getByText('Saving confirms the paths of this cluster')).toBeVisible()
    await inspect(page, picture, 'cluster-paths-confirm', ['desk'])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  },
)
