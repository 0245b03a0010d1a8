import { api } from '@flotilla/contract/api'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, logIn, newPerson, open, openLive } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
test.beforeAll(({ clouds }) => {
  server = clouds
})
// Other files use the same server, and expect one credential per cloud: a form preselects the only one.
test.afterAll(async () => {
  const token = await adminToken(server)
  for (const { id, name } of await call(server, api.credentials.list, {}, token))
    if (!name.startsWith('our ')) await call(server, api.credentials.remove, { id }, token)
})

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const profiles = `[default]
aws_access_key_id = AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = ${SECRET}

[teaching]
aws_access_key_id = AKIAI44QH8DHBTEACH
aws_secret_access_key = je7MtGbClwBF/2Zp9Utk/h3yCo8nvbTEACHKEY
`
const PEM = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B\n'.repeat(4)}-----END PRIVATE KEY-----\n`
const serviceAccount = JSON.stringify({
  type: 'service_account',
  project_id: 'fluid-flow',
  private_key_id: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  private_key: PEM,
  client_email: 'console@fluid-flow.iam.gserviceaccount.com',
  client_id: '104000000000000000000',
  auth_uri: 'https://accounts.google.com/o/oauth2/auth',
  token_uri: 'https://oauth2.googleapis.com/token',
  auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
  client_x509_cert_url: 'https://www.googleapis.com/robot/v1/metadata/x509/console',
  universe_domain: 'googleapis.com',
})
const ociConfig = `[DEFAULT]
user=ocid1.user.oc1..aaaaaaaauser
fingerprint=20:3b:97:13:55:1c:5b:0d:d3:37:d8:50:4e:c5:3a:34
tenancy=ocid1.tenancy.oc1..aaaaaaaatenancy
region=eu-frankfurt-1
key_file=~/.oci/oci_api_key.pem
`

const aws = { access_key: 'AKIAIOSFODNN7EXAMPLE', secret_key: SECRET }
async function newCredential(name: string, change: object = {}) {
  const token = await adminToken(server)
  const body = { name, provider: 'aws' as const, data: aws, ...change }
  return call(server, api.credentials.create, { body }, token)
}
const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
async function choose(page: Page, name: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

test('without credentials, the page explains how to get a key and which permissions it needs', async ({
  page,
  picture,
  server: bare,
}) => {
  await open(page, bare, bare.admin, '/credentials')
  await expect(page.getByText('No credentials yet')).toBeVisible()
  const where = page.getByRole('region', { name: 'How to get a key' })
  await where.getByRole('tab', { name: 'GCP' }).click()
  await expect(where.getByText('roles/compute.admin')).toBeVisible()
  await inspect(page, picture, 'credentials-empty')
})

test('an admin pastes, tests and saves a key, and another admin sees it immediately', async ({
  page,
  picture,
  browser,
}) => {
  const context = await browser.newContext()
  const watcher = await context.newPage()
  await openLive(watcher, server, server.admin, '/credentials')
  await open(page, server, server.admin, '/credentials')
  await page.getByRole('link', { name: 'New credential' }).click()
  const form = dialog(page, 'New credential')
  await form.getByRole('radio', { name: 'AWS' }).check()
  await form.getByRole('button', { name: 'Save credential' }).click()
  await expect(form.getByLabel('Secret key')).toHaveAccessibleDescription(/Secret key is missing/)
  await expect(form.getByLabel('Name')).toHaveAccessibleDescription('Min character length is 2')
  await inspect(page, picture, 'credential-new')

  // With several profiles, the user chooses one. The pasted text is removed from the screen.
  await form.getByLabel('Credential file').fill(profiles)
  await form.getByRole('button', { name: 'teaching' }).click()
  await expect(form.getByLabel('Access key')).toHaveValue('AKIAI44QH8DHBTEACH')
  await expect(form.getByLabel('Credential file')).toHaveValue('')
  await expect(form.getByLabel('Name')).toHaveValue('AWS teaching')
  await expect(form.getByText('Filled in for AWS (teaching)')).toBeVisible()

  await form.getByRole('button', { name: 'Test', exact: true }).click()
  await expect(form.getByRole('status').filter({ hasText: 'Works' })).toContainText('Simulated cloud')
  await inspect(page, picture, 'credential-tested')
  await form.getByLabel('Description').fill('Workshops of the spring term')
  await form.getByRole('button', { name: 'Save credential' }).click()
  await expect(page.getByText('Credential saved')).toBeVisible()
  for (const each of [page, watcher]) await expect(row(each, 'AWS teaching')).toContainText('Works')
  await context.close()
})

test(
  'other clouds’ credential files are read, and other files are rejected with an explanation',
  { tag: SOAK },
  async ({ page }) => {
    await open(page, server, server.admin, '/credentials?new=1')
    const form = dialog(page, 'New credential')
    const files = form.locator('input[type=file]')
    await form.getByLabel('Credential file').fill('hello')
    await expect(form.getByRole('alert')).toContainText('Unknown file type')

    await files.setInputFiles({
      name: 'key.json',
      mimeType: 'application/json',
      buffer: Buffer.from(serviceAccount),
    })
    await expect(form.getByRole('radio', { name: 'GCP' })).toBeChecked()
    await expect(form.getByLabel('Project ID')).toHaveValue('fluid-flow')
    await expect(form.getByLabel('Private key', { exact: true })).toHaveValue(PEM.trim())

    const text = (name: string, content: string) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(content),
    })
    await files.setInputFiles([text('config', ociConfig), text('oci_api_key.pem', PEM)])
    await expect(form.getByRole('radio', { name: 'Oracle' })).toBeChecked()
    await expect(form.getByLabel('Key file')).toHaveValue(PEM.trim())
    await expect(form.getByLabel('Compartment OCID')).toHaveValue('ocid1.tenancy.oc1..aaaaaaaatenancy')
    await expect(form.getByLabel('Region to test in')).toHaveValue('eu-frankfurt-1')

    await form.getByLabel('Credential file').fill('{"appId":"app","password":"pw","tenant":"ten"}')
    await expect(form.getByRole('radio', { name: 'Azure' })).toBeChecked()
    await expect(form.getByLabel('Client secret')).toHaveValue('pw')
    await expect(form.getByText('The file has no subscription ID')).toBeVisible()
    await form.getByLabel('Name').fill('Azure research')
    await form.getByLabel('Subscription ID').fill('11111111-2222-3333-4444-555555555555')
    await form.getByRole('button', { name: 'Save credential' }).click()
    await expect(row(page, 'Azure research')).toContainText('Not tested')
  },
)

test('editing a credential keeps its unchanged secrets', { tag: SOAK }, async ({ page, picture }) => {
  const { id } = await newCredential('Physics', { data: { ...aws, session_token: 'short-lived' } })
  await open(page, server, server.admin, '/credentials')
  await page.getByRole('link', { name: 'Physics' }).click()
  const form = dialog(page, 'Edit Physics')
  await expect(form.getByLabel('Secret key')).toHaveValue('')
  await expect(form.getByLabel('Access key')).toHaveAttribute('placeholder', '••••MPLE')
  await form.getByRole('checkbox', { name: 'Remove the stored session token' }).check()
  await inspect(page, picture, 'credential-edit', ['desk'])
  await form.getByLabel('Name').fill('Particle physics')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(row(page, 'Particle physics')).toBeVisible()

  await choose(page, 'Particle physics', 'Test')
  const result = dialog(page, 'Test Particle physics')
  await expect(result.getByRole('status')).toContainText('Works')
  await inspect(page, picture, 'credential-test', ['desk'])
  await result.getByRole('button', { name: 'Close', exact: true }).click()
  const all = await call(server, api.credentials.list, {}, await adminToken(server))
  const found = all.find((one) => one.id === id)
  const data = found && 'data' in found ? found.data : undefined
  expect([data?.access_key?.set, data?.secret_key?.set, data?.session_token?.set]).toEqual([
    true,
    true,
    false,
  ])
  expect(JSON.stringify(all)).not.toContain(SECRET)
})

test(
  'a key that the cloud rejects is explained on the form and in the list',
  { tag: SOAK },
  async ({ page, picture }) => {
    const folder = join(server.dataDir, 'simulated')
    await mkdir(folder, { recursive: true })
    const fail = (times: number) =>
      writeFile(join(folder, 'faults.json'), JSON.stringify({ '*': { fault: 'badCredential', times } }))
    await newCredential('Worn out')
    await open(page, server, server.admin, '/credentials')
    await fail(2)
    await choose(page, 'Worn out', 'Test')
    const result = dialog(page, 'Test Worn out')
    await expect(result.getByRole('status')).toContainText('rejected this key')
    await inspect(page, picture, 'credential-refused', ['desk'])
    await result.getByRole('button', { name: 'Close', exact: true }).click()
    await expect(row(page, 'Worn out')).toContainText('Rejected')

    await page.getByRole('link', { name: 'Worn out' }).click()
    const form = dialog(page, 'Edit Worn out')
    await form.getByLabel('Secret key').fill('another')
    await form.getByRole('button', { name: 'Test', exact: true }).click()
    await expect(form.getByRole('status')).toContainText('Rejected')
    await form.getByRole('button', { name: 'Test', exact: true }).click()
    await expect(form.getByRole('status')).toContainText('Works')
    await form.getByLabel('Secret key').fill('one more')
    await expect(form.getByText('The values have changed since the test.')).toBeVisible()
  },
)

test(
  'an owner shares a credential by username, and collaborators see only its name',
  { tag: SOAK },
  async ({ page, picture }) => {
    const person = await newPerson(server, ['user'], { username: 'katherine' })
    const { id } = await newCredential('Chemistry')
    await open(page, server, server.admin, '/credentials')
    await choose(page, 'Chemistry', 'Share')
    const form = dialog(page, 'Share Chemistry')
    await form.getByLabel('Shared with').fill('nobodyhere')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form.getByLabel('Shared with')).toHaveAccessibleDescription(/No user named nobodyhere/)
    await form.getByRole('button', { name: 'Remove person nobodyhere' }).click()
    await form.getByLabel('Shared with').fill('katherine')
    await page.keyboard.press('Enter')
    await inspect(page, picture, 'credential-share')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(row(page, 'Chemistry')).toContainText('katherine')
    const { token } = await logIn(server, person)
    expect(await call(server, api.credentials.list, {}, token)).toEqual([
      { id, name: 'Chemistry', provider: 'aws' },
    ])
  },
)

test('an unused credential can be deleted', { tag: SOAK }, async ({ page, picture }) => {
  await newCredential('Short lived')
  await open(page, server, server.admin, '/credentials')
  await choose(page, 'Short lived', 'Delete')
  const form = dialog(page, 'Delete Short lived')
  await expect(form.getByText('Nothing uses it.')).toBeVisible()
  await inspect(page, picture, 'credential-delete', ['desk'])
  await form.getByRole('button', { name: 'Delete credential' }).click()
  await expect(page.getByText('Credential Deleted')).toBeVisible()
  await expect(row(page, 'Short lived')).toHaveCount(0)
  await inspect(page, picture, 'credentials')
})
