import { api } from '@flotilla/contract/api'
import { ATTEMPTS_MAX } from '@flotilla/contract/limits'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { adminToken, call, logIn, newPerson, open, openLive, PASSWORD, shortPages } from './support/people'

const row = (page: Page, username: string) => page.getByRole('row', { name: new RegExp(`^${username} `) })

/** The open dialog. */
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

async function choose(page: Page, username: string, action: string) {
  await page.getByRole('button', { name: `Actions for ${username}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

async function filterFor(page: Page, username: string) {
  await page.getByLabel('Filter Users').fill(username)
  await expect(row(page, username)).toBeVisible()
}

test('an admin creates, edits and removes an account', async ({ page, server, browser }) => {
  const username = `made${process.pid}`
  await openLive(page, server, server.admin, '/settings')
  const elsewhere = await browser.newContext({ baseURL: server.url })
  const watcher = await elsewhere.newPage()
  await openLive(watcher, server, server.admin, '/settings')
  await expect(row(watcher, 'admin')).toBeVisible()

  await page.getByRole('button', { name: 'New user' }).click()
  const form = dialog(page, 'New user')
  await form.getByRole('button', { name: 'Create user' }).click()
  await expect(form.getByLabel('Username')).toHaveAccessibleDescription('Min character length is 4')
  await form.getByLabel('Username').fill(username)
  await form.getByLabel('First name').fill('Katherine')
  await form.getByLabel('Last name').fill('Johnson')
  await form.getByLabel('Email').fill(server.admin.username)
  await form.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await form.getByRole('button', { name: 'Create user' }).click()
  await expect(form.getByLabel('Email')).toHaveAccessibleDescription('Enter a valid email')
  await form.getByLabel('Email').fill(`${username}@example.org`)
  // A new instructor is also a user, unless that is unchecked.
  await form.getByRole('checkbox', { name: 'User' }).uncheck()
  await form.getByRole('checkbox', { name: 'Instructor' }).check()
  await expect(form.getByRole('checkbox', { name: 'User' })).toBeChecked()
  await form.getByRole('button', { name: 'Create user' }).click()
  await expect(page.getByText('User created successfully')).toBeVisible()
  await expect(form).toHaveCount(0)
  await expect(row(page, username)).toContainText('Katherine Johnson')
  // The other browser updated without a reload.
  await expect(row(watcher, username)).toContainText('Katherine Johnson')
  await elsewhere.close()
  await logIn(server, { username, password: PASSWORD })

  await choose(page, username, 'Edit')
  await expect(page).toHaveURL(new RegExp(`edit=${username}`))
  await dialog(page, `Edit Katherine Johnson (${username})`).getByLabel('Last name').fill('Goble')
  await dialog(page, `Edit Katherine Johnson (${username})`).getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('User Updated', { exact: true })).toBeVisible()
  await expect(row(page, username)).toContainText('Katherine Goble')

  await choose(page, username, 'Roles')
  const roles = dialog(page, `Roles for Katherine Goble (${username})`)
  await roles.getByRole('checkbox', { name: 'Instructor' }).uncheck()
  await roles.getByRole('checkbox', { name: 'User' }).uncheck()
  await expect(roles.getByRole('button', { name: 'Save' })).toBeDisabled()
  await roles.getByRole('checkbox', { name: 'User' }).check()
  await roles.getByRole('button', { name: 'Save' }).click()
  await expect(roles).toHaveCount(0)
  await expect(row(page, username)).not.toContainText('Instructor')

  await choose(page, username, 'Change password')
  const password = dialog(page, `Change password for Katherine Goble (${username})`)
  await expect(password.getByRole('button', { name: 'Change password' })).toBeDisabled()
  await password.getByLabel('New password').fill('Other-Horse-8!')
  await password.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Password Updated')).toBeVisible()
  await logIn(server, { username, password: 'Other-Horse-8!' })

  await choose(page, username, 'Remove')
  const removal = dialog(page, `Remove Katherine Goble (${username})`)
  await expect(removal.getByText('They own nothing.')).toBeVisible()
  const confirm = removal.getByRole('button', { name: 'Remove user' })
  await expect(confirm).toBeDisabled()
  await removal.getByLabel(`Type ${username} to confirm`).fill(username)
  await confirm.click()
  await expect(page.getByText('Deleted User')).toBeVisible()
  await expect(row(page, username)).toHaveCount(0)
})

test('a username that is already taken is reported in the form', { tag: SOAK }, async ({ page, server }) => {
  const person = await newPerson(server)
  await open(page, server, server.admin, '/settings')
  await page.getByRole('button', { name: 'New user' }).click()
  const form = dialog(page, 'New user')
  await form.getByLabel('Username').fill(person.username)
  await form.getByLabel('First name').fill('Mary')
  await form.getByLabel('Last name').fill('Jackson')
  await form.getByLabel('Email').fill('mary@example.org')
  await form.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await form.getByRole('button', { name: 'Create user' }).click()
  await expect(form.getByLabel('Username')).toHaveAccessibleDescription(/This username is already taken/)
  await expect(form.getByLabel('First name')).toHaveValue('Mary')
})

test(
  'an admin sees what a user is running before removing them, and lifts a lockout',
  { tag: SOAK },
  async ({ page, server }) => {
    const [leaving, heir] = [await newPerson(server), await newPerson(server)]
    const ended = await newPerson(server, ['user'], { endTime: Date.now() - 1000 })
    const { token } = await logIn(server, leaving)
    const machine = (await call(server, api.clusters.list, {}, token)).find(
      ({ name }) => name === 'This machine',
    )
    const body = { name: 'Long run', data: { script: 'sleep 600' } }
    const job = await call(server, api.jobs.create, { body }, token)
    const submitted = { id: job.id, cluster: machine?.id ?? '' }
    const { id } = await call(server, api.jobs.submit, { body: submitted }, token)
    for (let i = 0; i < ATTEMPTS_MAX; i++)
      await logIn(server, { ...heir, password: 'Wrong-Horse-7!' }).catch(() => undefined)
    await expect(logIn(server, heir)).rejects.toMatchObject({ status: 429 })

    await open(page, server, server.admin, '/settings')
    await filterFor(page, heir.username)
    await expect(row(page, heir.username)).toContainText('Locked out')
    await choose(page, heir.username, 'Lift lockout')
    await expect(page.getByText('Lockout lifted')).toBeVisible()
    await expect(row(page, heir.username)).toContainText('Active')
    await logIn(server, heir)

    await filterFor(page, leaving.username)
    await choose(page, leaving.username, 'Remove')
    const removal = dialog(page, `Remove Ada Lovelace (${leaving.username})`)
    await expect(removal.getByText('Job Long run on This machine')).toBeVisible()
    const owner = removal.getByRole('combobox', { name: 'New owner' })
    await expect(owner.getByRole('option', { name: heir.username })).toHaveCount(1)
    await expect(owner.getByRole('option', { name: ended.username })).toHaveCount(0)
    await owner.selectOption({ value: heir.id })
    await removal.getByLabel(`Type ${leaving.username} to confirm`).fill(leaving.username)
    const confirm = removal.getByRole('button', { name: 'Remove user' })
    await expect(confirm).toBeDisabled()
    await removal.getByRole('radio', { name: 'Cancel their jobs' }).check()
    await confirm.click()
    await expect(page.getByText('Deleted User')).toBeVisible()
    const state = async () =>
      (await call(server, api.jobs.submission, { id }, await adminToken(server))).state
    await expect.poll(state).toBe('canceled')
  },
)

test('an admin invites a user and logs them out', { tag: SOAK }, async ({ page, server }) => {
  const person = await newPerson(server)
  const session = await logIn(server, person)
  await open(page, server, server.admin, '/settings')
  await filterFor(page, person.username)
  await choose(page, person.username, 'Invite')
  const invitation = dialog(page, `Invite Ada Lovelace (${person.username})`)
  await invitation.getByRole('button', { name: 'Create link' }).click()
  await expect(invitation.getByText(`${server.url}/login/`)).toBeVisible()
  await invitation.getByRole('button', { name: 'Done' }).click()

  const { secret } = await call(
    server,
    api.accessTokens.create,
    { body: { name: 'nightly', scope: 'read' } },
    session.token,
  )
  await choose(page, person.username, 'Log out everywhere')
  const confirmation = dialog(page, `Log out Ada Lovelace (${person.username})`)
  await expect(confirmation.getByText('Their access tokens are revoked')).toBeVisible()
  await confirmation.getByRole('button', { name: 'Log out everywhere' }).click()
  await expect(page.getByText('Logged out everywhere, access tokens revoked')).toBeVisible()
  await expect(call(server, api.jobs.list, {}, secret)).rejects.toMatchObject({ status: 401 })
  await expect(call(server, api.auth.sessions, {}, session.token)).rejects.toMatchObject({ status: 401 })
})

test('the last admin can be neither demoted nor removed', { tag: SOAK }, async ({ page, server }) => {
  const token = await adminToken(server)
  const everyone = await call(server, api.users.list, {}, token)
  for (const { id, username, role } of everyone)
    if (username !== 'admin' && role.includes('admin'))
      // The other admins are not removed, because they may own resources of an earlier test on this server.
      await call(server, api.users.update, { body: { id, role: ['user'] } }, token)
  const reason = 'This is the last admin. Make someone else an admin first.'
  await open(page, server, server.admin, '/settings')
  await filterFor(page, 'admin')
  await page.getByRole('button', { name: 'Actions for admin', exact: true }).click()
  const remove = page.getByRole('menuitem', { name: 'Remove' })
  await expect(remove).toContainText(reason)
  await expect(remove).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('Escape')
  await choose(page, 'admin', 'Roles')
  const roles = dialog(page, 'Roles for Site Admin (admin)')
  await expect(roles.getByRole('checkbox', { name: 'Admin' })).toBeDisabled()
  await expect(roles).toContainText(reason)
})

test(
  'the table filters by every type, remembers the filter of each page and forgets it at logout',
  { tag: SOAK },
  async ({ page, server }) => {
    const mark = `flt${process.pid}`
    for (const end of ['alpha', 'beta', 'gamma'])
      await newPerson(server, ['user'], { username: `${mark}${end}` })
    await open(page, server, server.admin, '/settings')
    const text = page.getByLabel('Filter Users')
    const type = page.getByLabel('Filter type')
    const column = page.getByLabel('Filter column')
    const found = () =>
      page
        .getByRole('table', { name: 'Users' })
        .getByRole('link')
        .allTextContents()
        .then((names) =>
          names
            .filter((name) => name.startsWith(mark))
            .map((name) => name.slice(mark.length))
            .toSorted(),
        )
    await expect(type.getByRole('option')).toHaveText([
      'Contains',
      'Starts with',
      'Ends with',
      'Matches',
      'Grater than',
      'Less than',
    ])
    await column.selectOption('Username')
    const cases: [kind: string, value: string, expected: string[]][] = [
      ['Contains', 'AMM', ['gamma']],
      ['Starts with', mark, ['alpha', 'beta', 'gamma']],
      ['Ends with', 'ta', ['beta']],
      ['Matches', `${mark}alpha`, ['alpha']],
      ['Grater than', `${mark}beta`, ['gamma']],
      ['Less than', `${mark}beta`, ['alpha']],
    ]
    for (const [kind, value, expected] of cases) {
      await type.selectOption(kind)
      await text.fill(value)
      await expect.poll(found, kind).toEqual(expected)
    }
    await type.selectOption('Starts with')
    await text.fill(mark)
    await expect(page.getByText(/^3 of \d+$/)).toBeVisible()

    // Leaving and returning through the navigation, whose URL has no filter, keeps the filter.
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Accounting' }).click()
    await expect(page).toHaveURL('/account')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
    await expect(text).toHaveValue(mark)
    await expect(type).toHaveValue('startsWith')
    await expect.poll(found).toEqual(['alpha', 'beta', 'gamma'])

    await text.fill('zzzz')
    await expect(page.getByRole('button', { name: /clear/i }).first()).toBeVisible()

    await page.getByRole('button', { name: /^User menu/ }).click()
    await page.getByRole('menuitem', { name: 'Logout' }).click()
    await expect(page).toHaveURL('/login')
    await open(page, server, server.admin, '/settings')
    await expect(row(page, 'admin')).toBeVisible()
    await expect(text).toHaveValue('')
    await expect(type).toHaveValue('contains')
  },
)

test('a click loads older accounts', { tag: SOAK }, async ({ page, server }) => {
  const people = [await newPerson(server), await newPerson(server), await newPerson(server)]
  await shortPages(page, api.users.list, 2)
  await open(page, server, server.admin, '/settings')
  const table = page.getByRole('table', { name: 'Users' })
  const names = () => table.getByRole('row').nth(2).textContent()
  await expect(row(page, people[2]?.username ?? '')).toBeVisible()
  await expect(row(page, people[0]?.username ?? '')).toHaveCount(0)
  await expect(page.getByText('Showing the newest 2.')).toBeVisible()
  const second = await names()

  const older = page.getByRole('button', { name: 'Show older' })
  await older.click()
  await expect(row(page, people[0]?.username ?? '')).toBeVisible()
  expect(await names()).toBe(second)
  // The first admin is the oldest account, so the list is now complete and the button disappears.
  await expect(async () => {
    if (await older.isVisible()) await older.click({ timeout: 1000 })
    await expect(older).toHaveCount(0, { timeout: 1000 })
  }).toPass()
  await expect(row(page, 'admin')).toBeVisible()
  await expect(page.getByText(/^Showing the newest/)).toHaveCount(0)

  // A user whose row is not loaded can still be edited through the URL.
  await page.goto('/settings?edit=admin')
  await expect(dialog(page, 'Edit Site Admin (admin)')).toBeVisible()
  // Two loaded rows do not prove that there is no other admin.
  await expect(dialog(page, 'Edit Site Admin (admin)').getByRole('checkbox', { name: 'Admin' })).toBeEnabled()
})
