import {
  allowEveryone,
  chooseSize,
  clusterIdIn,
  confirmByName,
  next,
  formStep,
  price,
  runJob,
  state,
} from './support/clouds'
import { expect, test } from './support/fixtures'
import { openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ clouds }) => {
  server = clouds
})

/**
 * The only provider whose cluster is deployed from its form: the server's lifecycle tests cover deploying and
 * destroying on every provider, and the AWS form is tested in every run.
 */
const DEPLOYED = 'gcp'
const others = [
  { id: 'azure', name: 'Azure', region: 'westus', head: 'Standard_DS3_v2', node: 'Standard_DS3_v2' },
  {
    id: 'gcp',
    name: 'GCP',
    region: 'us-west1',
    zone: 'us-west1-b',
    head: 'n1-standard-8',
    node: 'n1-standard-8',
  },
  {
    id: 'oracle',
    name: 'Oracle',
    region: 'us-ashburn-1',
    domain: 'US-ASHBURN-AD-2',
    head: 'VM.Standard.E4.Flex',
    node: 'VM.Standard.E4.Flex',
  },
  { id: 'maas', name: 'ACM' },
]
for (const { id, name, region, zone, domain, head, node } of others) {
  test(`${name}: an admin creates a cluster from its form and sees its price`, async ({ page, picture }) => {
    const cluster = `On ${name}`
    await openLive(page, server, server.admin, `/clusters?new=${id}`)
    await page.getByLabel('Name', { exact: true }).fill(cluster)
    await page.getByLabel('Operating system').selectOption('ubuntu-22.04')
    if (region) await page.getByLabel('Region').selectOption(region)
    if (zone) await page.getByLabel('Zone').selectOption(zone)
    if (domain) await page.getByLabel('Availability domain').selectOption(domain)
    await next(page)
    if (head) await chooseSize(page, 'Head node', head)
    if (id === 'oracle') {
      await page.locator('[data-step="head"]').getByLabel('OCPUs').fill('65')
      await next(page)
      await expect(page.getByText('At most 64 OCPUs on VM.Standard.E4.Flex')).toBeVisible()
      await page.locator('[data-step="head"]').getByLabel('OCPUs').fill('2')
      await expect(price(page)).toContainText('$0.09')
    }
    if (id === 'maas') await expect(page.getByRole('button', { name: 'Add a disk' })).toHaveCount(0)
    await inspect(page, picture, `cloud-${id}-head`, ['desk'])
    await next(page)
    if (node) await chooseSize(page, 'Group 1', node)
    if (node) await expect(price(page)).toContainText(`node, ${node}`)
    await inspect(page, picture, `cloud-${id}-nodes`, ['desk'])
    await formStep(page, 'Software').click()
    await expect(page.getByRole('radio', { name: 'Slurm' })).toBeChecked()
    if (id !== 'maas') await allowEveryone(page)
    await formStep(page, 'Summary').click()
    await page.getByRole('button', { name: 'Save and deploy' }).click()
    const dialog = page.getByRole('dialog', { name: `Deploy ${cluster}` })
    await expect(dialog).toContainText(id === 'maas' ? 'No price' : 'per hour')
    if (id !== DEPLOYED) return
    await dialog.getByRole('button', { name: 'Save and deploy' }).click()
    await expect(page.getByRole('heading', { name: cluster })).toBeVisible()
    await state(page, 'Available')
    await runJob(server, clusterIdIn(page))
    await inspect(page, picture, `cloud-${id}`, ['desk'])
    await confirmByName(page, cluster, 'Destroy')
    await state(page, 'Destroyed')
    await confirmByName(page, cluster, 'Delete')
    await expect(page.getByText('Cluster Deleted')).toBeVisible()
  })
}
