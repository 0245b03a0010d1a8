import { api } from '@flotilla/contract/api'
import { chooseSize, newCloudCluster, state } from './support/clouds'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, newPerson, openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ clouds }) => {
  server = clouds
})

const REFUSED = 'Torque cannot be installed, so Deploy will fail'

test(
  'without a Torque package source, the form preselects Slurm and warns about Torque',
  { tag: SOAK },
  async ({ page, picture }) => {
    await openLive(page, server, server.admin, '/clusters?new=1')
    await page.getByRole('radio', { name: 'AWS' }).click()
    const steps = page.getByRole('navigation', { name: 'Steps' })
    const software = steps.getByRole('button', { name: /Software/ })
    await software.click()
    await expect(page.getByRole('radio', { name: 'Slurm' })).toBeChecked()
    await page.getByRole('radio', { name: 'Torque' }).check()
    await expect(page.getByText(REFUSED).first()).toBeVisible()
    await expect(software).toHaveAccessibleName(/has errors/)
    await inspect(page, picture, 'torque-software')
    await steps.getByRole('button', { name: /Summary/ }).click()
    const summary = page.locator('[data-step="summary"]')
    await expect(summary.getByText(REFUSED)).toBeVisible()
    await expect(steps.getByRole('button', { name: /Summary/ })).toHaveAccessibleName(/incomplete/)
    const deploy = page.getByRole('button', { name: 'Save and deploy' })
    await expect(deploy).toHaveAttribute('aria-disabled', 'true')
    await expect(deploy).toHaveAccessibleDescription(/Torque cannot be installed/)
    await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeEnabled()
    await inspect(page, picture, 'torque-summary', ['desk'])
    await summary.getByRole('button', { name: 'Use Slurm instead' }).click()
    await expect(page.getByText(REFUSED)).toHaveCount(0)
    await software.click()
    await expect(page.getByRole('radio', { name: 'Slurm' })).toBeChecked()
  },
)

test(
  'the error of a missing credential disappears when the list of credentials loads late',
  { tag: SOAK },
  async ({ page }) => {
    let respond = () => {}
    const mayRespond = new Promise<void>((resolve) => (respond = resolve))
    await page.route(`**${api.credentials.list.path}**`, async (route) => {
      await mayRespond
      await route.continue()
    })
    // The form preselects the credential when there is exactly one.
    const person = await newPerson(server, ['instructor', 'user'])
    const data = { access_key: 'AKIAIOSFODNN7EXAMPLE', secret_key: 'wJalrXUtnFEMI/K7MDENG' }
    const only = { name: 'The only one', provider: 'aws' as const, data, collaborators: [person.username] }
    const admin = await adminToken(server)
    const { id } = await call(server, api.credentials.create, { body: only }, admin)
    await openLive(page, server, person, '/clusters?new=aws')
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    const credential = page.getByLabel('Credential')
    await expect(credential).toHaveAccessibleDescription(/Choose a credential/)
    respond()
    await expect(credential).toHaveValue(/./)
    await expect(credential).not.toHaveAccessibleDescription(/Choose a credential/)
    // Other tests expect the admin to have exactly one credential per cloud.
    await call(server, api.credentials.remove, { id }, admin)
  },
)

test(
  'a stack that cannot be built is saved, and the error says that it was saved and why it cannot be built',
  { tag: SOAK },
  async ({ page, picture }) => {
    await openLive(page, server, server.admin, '/stacks/new')
    await page.getByRole('radio', { name: 'AWS' }).check()
    await page.getByLabel('Name', { exact: true }).fill('With Torque')
    await page.getByLabel('Region').selectOption('us-east-1')
    await chooseSize(page, 'Machine', 't3.large')
    const warning = page.getByText('Torque cannot be installed, so Build will fail')
    await expect(page.getByRole('radio', { name: 'Slurm' })).toBeChecked()
    await page.getByRole('radio', { name: 'Torque' }).check()
    await expect(warning).toBeVisible()
    await page.getByRole('button', { name: 'Use Slurm instead' }).click()
    await expect(warning).toBeHidden()
    await page.getByRole('radio', { name: 'Torque' }).check()
    await page.getByLabel('Operating system').selectOption('centos-7')
    await expect(page.getByText(/CentOS 7 reached its end of life on 2024-06-30/)).toBeVisible()
    await inspect(page, picture, 'stack-torque')
    await page.getByRole('button', { name: 'Save and build' }).click()
    const refusal = page.getByRole('dialog', { name: 'ERROR' })
    await expect(refusal).toContainText(
      'The stack was saved, but not built: Torque is not in any public package repository',
    )
    await inspect(page, picture, 'stack-not-built', ['desk'])
    await refusal.getByRole('button', { name: 'Use Slurm instead' }).click()
    await expect(page.getByText('The stack now uses Slurm. Nothing is built yet.')).toBeVisible()
    await expect(page).toHaveURL(/\/stacks\/\w+$/)
    await expect(page.getByRole('heading', { name: 'With Torque' })).toBeVisible()
    await expect(page.getByText(/AWS · Slurm/)).toBeVisible()
  },
)

test(
  'deploying with Torque is rejected before anything is created, offers Slurm, and works with a package source',
  { tag: SOAK },
  async ({ page, picture }) => {
    const token = await adminToken(server)
    const id = await newCloudCluster(server, 'Torque', { manager: 'torque' })
    await openLive(page, server, server.admin, `/clusters/${id}`)
    const deploy = async () => {
      await page.getByRole('button', { name: 'Deploy', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Deploy cluster' }).click()
    }
    await deploy()
    const refusal = page.getByRole('dialog', { name: 'ERROR' })
    await expect(refusal).toContainText('Torque is not in any public package repository')
    await inspect(page, picture, 'torque-refused')
    await refusal.getByRole('button', { name: 'Use Slurm instead' }).click()
    await expect(page.getByText('The cluster now uses Slurm. Nothing is deployed yet.')).toBeVisible()
    const manager = async () => (await call(server, api.clusters.view, { id }, token)).data.manager
    await expect.poll(manager).toBe('slurm')
    await deploy()
    await state(page, 'Available')

    const other = await newCloudCluster(server, 'Sourced', { manager: 'torque' })
    await call(
      server,
      api.settings.setTorqueSource,
      {
        body: {
          file: 'deb [trusted=yes] https://repo.example.org/torque stable main\n',
          key: '',
          headPackages: ['torque-server'],
          nodePackages: ['torque-mom'],
        },
      },
      token,
    )
    await openLive(page, server, server.admin, `/clusters/${other}`)
    await deploy()
    await state(page, 'Available')
    await call(server, api.settings.removeTorqueSource, {}, token)
  },
)
