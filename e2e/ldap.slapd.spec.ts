import { api } from '@flotilla/contract/api'
import { LDAP_PASSWORD, startSlapd, type TestSlapd } from '../apps/server/test/support/services/slapd'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, newPerson, open, openLive } from './support/people'
import { inspect } from './support/screen'

let slapd: TestSlapd
test.beforeAll(async () => {
  slapd = await startSlapd()
})
test.afterAll(async ({ server }) => {
  // Other specs log in to the same server.
  const token = await adminToken(server)
  for (const { id } of await call(server, api.ldapServers.list, {}, token))
    await call(server, api.ldapServers.remove, { id }, token)
  await slapd.close()
})

async function logInWithLdap(page: Page, username: string, password = LDAP_PASSWORD) {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

test(
  'an admin adds, tests, edits and deletes an LDAP server',
  { tag: SOAK },
  async ({ page, server, admin, picture }) => {
    const dn = await slapd.addPerson('teacher', { cn: 'Ada Byron', givenName: 'Ada', sn: 'Byron' })
    const group = await slapd.addGroup('teachers', [dn])
    await openLive(page, server, admin, '/settings/ldap')
    await expect(page.getByText('No LDAP servers')).toBeVisible()
    await inspect(page, picture, 'ldap-empty')

    await page.getByRole('button', { name: 'Add server' }).click()
    const form = page.getByRole('dialog', { name: 'Add LDAP server' })
    await form.getByRole('button', { name: 'Add server' }).click()
    await expect(form.getByLabel('Address')).toHaveAccessibleDescription(/Enter an address such as ldap:/)
    await inspect(page, picture, 'ldap-form-errors')
    await form.getByLabel('Name').fill('Example directory')
    await form.getByLabel('Address').fill(slapd.plain)
    await form.getByLabel('Encrypt with StartTLS').check()
    await form.getByLabel('CA certificate').fill(slapd.otherCa)
    await form.getByLabel('Bind DN').fill(`cn=search,${slapd.suffix}`)
    await form.getByLabel('Password', { exact: true }).fill('search secret')
    await form.getByLabel('Base DN', { exact: true }).fill(`ou=people,${slapd.suffix}`)
    await form.getByLabel('Group base DN').fill(`ou=groups,${slapd.suffix}`)
    await form.getByLabel('Instructor groups').fill(group)
    await form.getByRole('button', { name: 'Add server' }).click()
    await expect(page.getByText('LDAP Server Added Successfully')).toBeVisible()

    // A new server is tested at once; this one has a certificate of an unknown authority.
    const result = page.getByRole('dialog', { name: 'Test Example directory' })
    await expect(result.getByText(/is signed by an unknown certificate authority/)).toBeVisible()
    await inspect(page, picture, 'ldap-test-failed')
    await result.getByRole('button', { name: 'Close', exact: true }).last().click()

    await page.getByRole('link', { name: 'Example directory' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit Example directory' })
    await expect(edit.getByRole('textbox', { name: 'Password' })).toHaveValue('')
    await edit.getByLabel('CA certificate').fill(slapd.ca)
    await edit.getByLabel('Name').fill('Campus directory')
    await edit.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('LDAP Server Updated Successfully')).toBeVisible()
    const again = page.getByRole('dialog', { name: 'Test Campus directory' })
    await again.getByLabel('Sample user').fill('teacher')
    await again.getByRole('button', { name: 'Test again' }).click()
    // The empty password field kept the stored password.
    await expect(again.getByText(`Logged in as cn=search,${slapd.suffix}`)).toBeVisible()
    await expect(again.getByText(/Role: instructor, user/)).toBeVisible()
    await inspect(page, picture, 'ldap-test')
    await again.getByRole('button', { name: 'Close', exact: true }).last().click()

    const table = page.getByRole('table', { name: 'LDAP servers' })
    await expect(table.getByRole('row', { name: /Campus directory/ })).toContainText('StartTLS')
    await inspect(page, picture, 'ldap-list')
    await table.getByRole('button', { name: /actions/i }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete server' }).click()
    await expect(page.getByText('LDAP Server Deleted Successfully')).toBeVisible()
    await expect(page.getByText('No LDAP servers')).toBeVisible()
  },
)

test(
  'a user logs in with a directory account and sees a cluster shared with its group',
  { tag: SOAK },
  async ({ page, server, browser, picture }) => {
    const token = await adminToken(server)
    const dn = await slapd.addPerson('grace')
    const group = await slapd.addGroup('physics', [dn])
    const body = slapd.settings({ name: 'Campus directory', startTls: true, ca: slapd.ca })
    const empty = slapd.settings({
      name: 'Main directory',
      baseDn: `cn=search,${slapd.suffix}`,
      groupBaseDn: '',
    })
    await call(server, api.ldapServers.create, { body: empty }, token)
    await call(server, api.ldapServers.create, { body }, token)

    await page.goto('/login')
    await page.getByRole('button', { name: 'Log in with LDAP' }).click()
    const choice = page.getByLabel('LDAP server')
    await expect(choice.locator('option:checked')).toHaveText('Main directory')
    await choice.selectOption('Campus directory')
    const button = page.getByRole('button', { name: 'Log in', exact: true })
    await expect(button).toBeDisabled()
    await logInWithLdap(page, 'grace', 'Wrong horse 1')
    await expect(page.getByRole('alert')).toHaveText('Authentication Error')
    await expect(page.getByLabel('Username')).toHaveAccessibleDescription('Unauthorized')
    await inspect(page, picture, 'ldap-login-refused')
    await page.getByRole('button', { name: 'Go Back' }).click()
    await expect(page.getByRole('button', { name: 'Log in with LDAP' })).toBeVisible()
    await page.getByRole('button', { name: 'Log in with LDAP' }).click()
    await choice.selectOption('Campus directory')
    await logInWithLdap(page, 'GRACE')
    await expect(page).toHaveURL('/clusters')

    // The owner of a cluster shares it with a group of the directory.
    const owner = await newPerson(server, ['user'], { firstName: 'Owner' })
    const other = await browser.newContext({ baseURL: server.url })
    const ownersPage = await other.newPage()
    const session = await open(ownersPage, server, owner, '/clusters')
    const head = { host: 'head.example.org', username: 'alma' }
    const data = { manager: 'slurm' as const, transport: 'ssh' as const, head }
    const cluster = await call(
      server,
      api.clusters.createLocal,
      { body: { name: 'Physics', data } },
      session.token,
    )
    await ownersPage.goto(`/clusters/${cluster.id}`)
    await ownersPage.getByRole('button', { name: 'More actions for Physics' }).click()
    await ownersPage.getByRole('menuitem', { name: 'Share' }).click()
    await ownersPage.getByPlaceholder('Search the directory').fill('physics')
    await ownersPage.getByRole('button', { name: 'Share with physics' }).click()
    await expect(ownersPage.getByRole('list', { name: 'Shared with, from LDAP' })).toContainText(group)
    await ownersPage.getByPlaceholder('Search the directory').fill('grace')
    await expect(ownersPage.getByRole('button', { name: 'Share with Grace Hopper' })).toBeVisible()
    await inspect(ownersPage, picture, 'ldap-share')

    // The edit form has the same list and saves it with the other fields.
    await ownersPage.getByRole('button', { name: 'Cancel' }).click()
    await ownersPage.getByRole('button', { name: 'Edit', exact: true }).click()
    await expect(ownersPage.getByRole('list', { name: 'Shared with, from LDAP' })).toContainText(group)
    await ownersPage.getByPlaceholder('Search the directory').fill('grace')
    await ownersPage.getByRole('button', { name: 'Share with Grace Hopper' }).click()
    await inspect(ownersPage, picture, 'ldap-cluster-form')
    await ownersPage.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(ownersPage.getByText('1 person and 1 group')).toBeVisible()
    await other.close()

    await expect(page.getByRole('link', { name: 'Physics' })).toBeVisible()
  },
)

test('a user who is removed from the directory is logged out', { tag: SOAK }, async ({ page, server }) => {
  const dn = await slapd.addPerson('lynn')
  const body = slapd.settings({ name: 'Evening directory', startTls: true, ca: slapd.ca })
  await call(server, api.ldapServers.create, { body }, await adminToken(server))
  await page.goto('/login')
  await page.getByRole('button', { name: 'Log in with LDAP' }).click()
  await page.getByLabel('LDAP server').selectOption('Evening directory')
  await logInWithLdap(page, 'lynn')
  await expect(page).toHaveURL('/clusters')

  await slapd.remove(dn)
  // The server checks the directory every minute.
  await expect(page).toHaveURL(/\/login/, { timeout: 150_000 })
})
