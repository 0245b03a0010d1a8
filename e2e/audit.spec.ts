import { readFile } from 'node:fs/promises'
import { api } from '@flotilla/contract/api'
import { byHand } from './support/by-hand'
import { expect, test } from './support/fixtures'
import { adminToken, call, newPerson, open } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

/** Changes the audit trail as the database administrator, who can disable the trigger that prevents it. */
const tamper = (server: Server, statement: string): Promise<void> =>
  byHand(server, [
    'grant update on activities to current_user',
    'alter table activities disable trigger user',
    statement,
    'alter table activities enable trigger user',
  ])

test('an admin finds a change in the audit trail, exports it, and sees that someone tampered with it', async ({
  page,
  server,
  picture,
}) => {
  const person = await newPerson(server)
  const token = await adminToken(server)
  const [found] = await call(server, api.users.list, { query: { search: person.username } }, token)
  const id = found?.id ?? ''
  await call(server, api.users.update, { body: { id, firstName: 'Augusta', lastName: 'King' } }, token)

  await open(page, server, server.admin, '/settings/audit')
  const rows = page.getByRole('table', { name: 'Audit trail' }).getByRole('row')
  const search = page.getByRole('search', { name: 'Audit trail' })
  await expect(rows.first()).toBeVisible()
  await inspect(page, picture, 'audit')

  await search.getByLabel('Subject').fill(person.username)
  await search.getByLabel('Subject').press('Enter')
  await search.getByLabel('Action').selectOption('user updated')
  await expect(rows).toHaveCount(2)
  await expect(page).toHaveURL(new RegExp(`subject=${person.username}`))

  await page.getByRole('button', { name: 'User updated', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'User updated' })
  await expect(dialog.getByRole('row', { name: /^lastName/ })).toHaveText(/King$/)
  await expect(dialog.getByText('127.0.0.1')).toBeVisible()
  await inspect(page, picture, 'audit-record')
  await dialog.getByRole('button', { name: 'Close dialog' }).click()

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  const csv = await readFile(await (await downloading).path(), 'utf8')
  expect(csv.split('\r\n')).toHaveLength(3)
  expect(csv).toContain(`user ${person.username}`)

  await search.getByLabel('Person').fill('someone-else')
  await search.getByLabel('Person').press('Enter')
  await expect(page.getByText('No match')).toBeVisible()
  await inspect(page, picture, 'audit-no-match', ['desk'])
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await expect(rows).not.toHaveCount(0)

  await page.getByRole('button', { name: 'Verify now' }).click()
  await expect(page.getByText(/^Intact: \d+ records, verified/)).toBeVisible({ timeout: 180_000 })
  const setActor = (name: string) =>
    tamper(
      server,
      `update activities set actor = '${name}' where action = 'user updated' and subject_id = '${id}'`,
    )
  await setActor('mallory')
  await page.getByRole('button', { name: 'Verify now' }).click()
  const alarm = page.getByRole('alert').filter({ hasText: 'tampered' })
  await expect(alarm).toHaveText(/Record \d+ was changed/, { timeout: 180_000 })
  await inspect(page, picture, 'audit-broken')
  await setActor(server.admin.username)
  await page.getByRole('button', { name: 'Verify now' }).click()
  await expect(alarm).toHaveCount(0)
})
