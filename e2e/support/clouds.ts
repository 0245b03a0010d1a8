import { api } from '@flotilla/contract/api'
import { ProviderId } from '@flotilla/contract/site/config'
import type { Sent } from '@flotilla/contract/endpoint'
import { expect, type Page } from '@playwright/test'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { adminToken, call } from './people'
import { startServer, type Server } from './server'

/** Starts a site with simulated clouds and a credential for each. */
export async function startClouds(): Promise<Server> {
  const server = await startServer({ env: { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: '0.2' } })
  const token = await adminToken(server)
  const pem = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B\n'.repeat(4)}-----END PRIVATE KEY-----\n`
  const data: Record<ProviderId, Record<string, string>> = {
    aws: { access_key: 'AKIAIOSFODNN7EXAMPLE', secret_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    azure: { client_id: 'id', client_secret: 'secret-of-azure', subscription_id: 'sub', tenant_id: 'tenant' },
    gcp: {
      type: 'service_account',
      project_id: 'fluid-flow',
      private_key_id: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
      private_key: pem,
      client_email: 'console@fluid-flow.iam.gserviceaccount.com',
      client_id: '104000000000000000000',
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: 'https://oauth2.googleapis.com/token',
      auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
      client_x509_cert_url: 'https://www.googleapis.com/robot/v1/metadata/x509/console',
    },
    oracle: {
      user_ocid: 'ocid1.user.oc1..aaaaaaaauser',
      tenancy_ocid: 'ocid1.tenancy.oc1..aaaaaaaatenancy',
      compartment_ocid: 'ocid1.compartment.oc1..aaaaaaaacompartment',
      key_file: pem,
      fingerprint: '20:3b:97:13:55:1c:5b:0d:d3:37:d8:50:4e:c5:3a:34',
    },
    maas: { api_url: 'http://maas.example.org:5240/MAAS', api_key: 'one:two:three' },
  }
  for (const provider of ProviderId.options)
    await call(
      server,
      api.credentials.create,
      { body: { name: `our ${provider}`, provider, data: data[provider] } },
      token,
    )
  return server
}

export const state = (page: Page, word: string) =>
  expect(page.getByRole('main').getByText(word, { exact: true }).first()).toBeVisible({ timeout: 180_000 })

export const next = (page: Page) => page.getByRole('button', { name: 'Next', exact: true }).click()

/** Chooses a size in the dialog that the field opens. */
export async function chooseSize(
  page: Page,
  within: 'Head node' | 'Group 1' | 'Machine',
  size: string,
): Promise<void> {
  const places = {
    'Head node': page.locator('[data-step="head"]'),
    'Group 1': page.getByRole('region', { name: 'Group 1' }),
    // A stack's form has only one size.
    Machine: page.getByRole('main'),
  }
  const field = places[within].getByRole('combobox', { name: 'Size' })
  await field.click()
  const dialog = page.getByRole('dialog', { name: /^Size of/ })
  await dialog.getByRole('textbox', { name: 'Search' }).fill(size)
  await dialog.getByRole('button', { name: `Choose ${size}`, exact: true }).click()
  await expect(field).toContainText(size)
}

/** Chooses an action from the menu on a cluster's page. */
export async function menu(page: Page, cluster: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${cluster}` }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

/** Destroys or deletes a cluster by typing its name to confirm. */
export async function confirmByName(page: Page, cluster: string, action: string): Promise<void> {
  await menu(page, cluster, action)
  const dialog = page.getByRole('dialog', { name: `${action} ${cluster}` })
  await dialog.getByRole('textbox').fill(cluster)
  await dialog.getByRole('button', { name: `${action} cluster` }).click()
}

/** Runs a job on a cluster and waits until it completes. */
export async function runJob(server: Server, clusterId: string): Promise<void> {
  const token = await adminToken(server)
  const job = await call(
    server,
    api.jobs.create,
    { body: { name: 'hello', data: { script: '#!/bin/sh\necho hello from $(hostname)\n' } } },
    token,
  )
  await call(server, api.jobs.submit, { body: { id: job.id, cluster: clusterId, runAsAdmin: true } }, token)
  const last = async () => (await call(server, api.jobs.submissions, { id: job.id }, token))[0]?.state
  await expect.poll(last, { timeout: 180_000 }).toBe('completed')
}

/** Creates a cluster with the fields that the form saves, by default a small one on AWS. */
export async function newCloudCluster(
  server: Server,
  name: string,
  data: object = {},
  { provider = 'aws', region = 'eu-west-1' }: { provider?: ProviderId; region?: string } = {},
): Promise<string> {
  const token = await adminToken(server)
  const credentials = await call(server, api.credentials.list, {}, token)
  const cluster: Sent<typeof api.clusters.create>['body'] = {
    name,
    provider,
    credential_id: credentials.find((one) => one.provider === provider)?.id ?? '',
    info: { 'os-type': 'ubuntu-24.04', bursting: { burstOnDeploy: true } },
    data: {
      manager: 'slurm',
      network: { region_id: region },
      server: { instance_id: 't3.large' },
      node: { group: [{ count: 1, instance_id: 'c5.xlarge' }] },
      ...data,
    },
  }
  return (await call(server, api.clusters.create, { body: cluster }, token)).id
}

export const price = (page: Page) => page.getByRole('complementary', { name: 'Price' })
/** A step of the cluster form. */
export const formStep = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name })
/** Allows connections from everywhere: the console of a test has no public address to allow. */
export async function allowEveryone(page: Page): Promise<void> {
  await formStep(page, 'Network').click()
  await page.getByLabel('Allow everyone').check()
}
export const clusterIdIn = (page: Page) => new URL(page.url()).pathname.split('/')[2] ?? ''

/** Replaces the faults of the simulated cloud. */
export async function setFaults(
  server: Server,
  faults: Record<string, { fault: string; times?: number }>,
): Promise<void> {
  const folder = join(server.dataDir, 'simulated')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'faults.json'), JSON.stringify(faults))
}

export async function deployCluster(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Deploy', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deploy cluster' }).click()
}
