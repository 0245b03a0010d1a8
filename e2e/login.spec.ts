import { api } from '@flotilla/contract/api'
import { VERSION } from '@flotilla/contract/version'
import { SOAK, expect, test } from './support/fixtures'
import { linkIn, mailTo } from './support/mailbox'
import { adminToken, call, newPerson, open, PASSWORD } from './support/people'
import type { Page } from '@playwright/test'

async function submit(page: Page, { username, password }: { username: string; password: string }) {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

test('the page shows three tabs, the intro and the version', async ({ page }) => {
  await page.goto('/login')
  await expect(page).toHaveTitle('Log in · HPC On-Demand Data Center')
  await expect(page.getByLabel('Username')).toBeFocused()
  const tabs = page.getByRole('tablist', { name: 'Log in as' }).getByRole('tab')
  await expect(tabs).toHaveText(['Admin', 'Instructor', 'Workshop'])
  await expect(page.getByRole('heading', { name: 'Clusters when you need them' })).toBeVisible()
  await expect(page.getByText(`Version ${VERSION}`)).toBeVisible()
  for (const landmark of ['navigation', 'banner', 'contentinfo', 'complementary'] as const)
    await expect(page.getByRole(landmark)).toHaveCount(0)

  await tabs.first().focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Instructor' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('button', { name: 'Log in with LDAP' })).toBeVisible()
  await page.keyboard.press('End')
  for (const label of ['Full Name', 'Email', 'Workshop Session Code'])
    await expect(page.getByLabel(label)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Login to Workshop Session' })).toBeVisible()
})

test('an intro with styles and scripts is rendered as text, without an error in the console', async ({
  page,
}) => {
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  await page.route('**/assets/intro.html', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<h1 style="color: red" onclick="alert(1)">Our site</h1><style>p { color: red }</style>
        <p>one = two</p><svg/onload=alert(1)><script>alert(1)</script>`,
    }),
  )
  await page.goto('/login')
  const heading = page.getByRole('heading', { name: 'Our site' })
  await expect(heading).toBeVisible()
  await expect(page.getByText('one = two')).toBeVisible()
  await expect(heading).not.toHaveAttribute('style')
  expect(errors).toEqual([])
})

test('only a valid form can be submitted', async ({ page }) => {
  await page.goto('/login')
  const button = page.getByRole('button', { name: 'Log in', exact: true })
  const username = page.getByLabel('Username')
  const password = page.getByLabel('Password', { exact: true })
  await expect(button).toBeDisabled()
  await username.fill('abc')
  await password.fill('abc')
  await password.blur()
  await expect(button).toBeDisabled()
  await expect(username).toHaveAccessibleDescription('Min character length is 4')
  await expect(password).toHaveAccessibleDescription('Min character length is 4')
  await username.fill('abcd')
  await expect(button).toBeDisabled()
  await password.fill('abcd')
  await expect(button).toBeEnabled()
})

test('a rejected login is shown on both fields and can be tried again', async ({ page, admin }) => {
  await page.goto('/login')
  await submit(page, { username: admin.username, password: 'wrong' })
  await expect(page.getByRole('alert')).toHaveText('Authentication Error')
  const username = page.getByLabel('Username')
  const password = page.getByLabel('Password', { exact: true })
  await expect(username).toHaveAccessibleDescription('Unauthorized')
  await expect(password).toHaveAccessibleDescription('Unauthorized')
  await expect(page).toHaveURL('/login')
  await submit(page, admin)
  await expect(page).toHaveURL('/dashboard')
})

test('any other failure shows the server’s code and message', { tag: SOAK }, async ({ page, server }) => {
  const person = await newPerson(server, ['user'], { endTime: Date.now() - 1000 })
  await page.goto('/login')
  await submit(page, person)
  await expect(page.getByRole('alert')).toHaveText('account_ended: This account has expired')

  const unconfirmed = await newPerson(server)
  const token = await adminToken(server)
  await call(server, api.users.update, { body: { id: unconfirmed.id, verified: false } }, token)
  await submit(page, unconfirmed)
  await expect(page.getByRole('alert')).toContainText('not_verified: Confirm your email address first')
  await page.getByRole('link', { name: 'Enter the code from the email' }).click()
  await expect(page.getByLabel('Username')).toHaveValue(unconfirmed.username)
})

test('the username is not case-sensitive', { tag: SOAK }, async ({ page, server }) => {
  const person = await newPerson(server)
  await page.goto('/login')
  const sent = page.waitForRequest(`**${api.auth.login.path}`)
  await submit(page, { ...person, username: ` ${person.username.toUpperCase()} ` })
  expect((await sent).postDataJSON()).toEqual({ username: person.username, password: PASSWORD })
  await expect(page).toHaveURL('/clusters')
})

test('a login leads to the originally requested path', async ({ page, server }) => {
  const person = await newPerson(server)
  await page.goto('/general_settings?from=mail')
  await expect(page).toHaveURL('/login')
  await submit(page, person)
  await expect(page).toHaveURL('/general_settings?from=mail')
  await expect(page.getByRole('heading', { name: 'Appearance' })).toBeVisible()
})

for (const [role, home] of [
  ['admin', '/dashboard'],
  ['instructor', '/trainings'],
  ['user', '/clusters'],
] as const) {
  // The navigation's tests also cover the start page of each role, so only one role runs every time.
  test(`${role}s land on ${home}`, role === 'user' ? {} : { tag: SOAK }, async ({ page, server }) => {
    const person = await newPerson(server, [role])
    await page.goto('/')
    await expect(page).toHaveURL('/login')
    await submit(page, person)
    await expect(page).toHaveURL(home)
    await page.goto('/login')
    await expect(page).toHaveURL(home)
  })
}

test('guest pages redirect logged-in users to their home page', async ({ page, server }) => {
  await open(page, server, await newPerson(server))
  for (const path of ['/register', '/landing', '/verify', '/training-login', '/recoverPassword/x']) {
    await page.goto(path)
    await expect(page).toHaveURL('/clusters')
  }
})

test(
  'a user resets a forgotten password with an emailed link that works once',
  { tag: SOAK },
  async ({ page, server }) => {
    const person = await newPerson(server)
    await page.goto('/login')
    await page.getByLabel('Username').fill(person.username)
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0)
    await expect(page.getByLabel('Username')).toHaveValue(person.username)
    await page.getByRole('button', { name: 'Go Back' }).click()
    await expect(page.getByLabel('Password', { exact: true })).toBeVisible()
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByRole('button', { name: 'SUBMIT' }).click()
    await expect(page.getByText('Recovery email sent')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Log in', exact: true })).toBeVisible()

    const link = linkIn(await mailTo(server.dataDir, person.email))
    await page.goto(link)
    await expect(page.getByText(`Choose a new password for ${person.username}.`)).toBeVisible()
    const button = page.getByRole('button', { name: 'Set password' })
    await page.getByLabel('New password').fill('New-Horse-8!')
    await page.getByLabel('Confirm password').fill('New-Horse-9!')
    await page.getByLabel('Confirm password').blur()
    await expect(page.getByLabel('Confirm password')).toHaveAccessibleDescription('Passwords do not match')
    await expect(button).toBeDisabled()
    await page.getByLabel('Confirm password').fill('New-Horse-8!')
    await button.click()
    await expect(page.getByText('Password Reset Successful')).toBeVisible()
    await expect(page).toHaveURL('/login')

    await page.goto(link)
    await expect(page.getByRole('alert')).toContainText('This recovery link is no longer valid.')
    await page.getByRole('link', { name: 'Get a new link' }).click()
    await expect(page.getByRole('button', { name: 'SUBMIT' })).toBeVisible()
    await page.getByRole('button', { name: 'Go Back' }).click()
    await submit(page, { ...person, password: 'New-Horse-8!' })
    await expect(page).toHaveURL('/clusters')
  },
)

test('without LDAP servers, the form says so and whom to contact', async ({ page }) => {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Log in with LDAP' }).click()
  await expect(page.getByText('No LDAP Servers Available')).toBeVisible()
  await expect(page.getByText('Contact your administrator to configure LDAP authentication.')).toBeVisible()
  await page.getByRole('button', { name: 'Go Back' }).click()
  await expect(page.getByLabel('Username')).toBeVisible()
})

test('the training login has no tabs and takes the code from the URL', async ({ page }) => {
  await page.goto('/training-login?code=012345')
  await expect(page.getByRole('heading', { name: 'Workshop login' })).toBeVisible()
  await expect(page.getByRole('tab')).toHaveCount(0)
  await expect(page.getByLabel('Workshop Session Code')).toHaveValue('012345')
  await page.getByLabel('Full Name').focus()
  await page.getByLabel('Email').fill('nobody')
  await page.getByLabel('Email').blur()
  await expect(page.getByLabel('Full Name')).toHaveAccessibleDescription('Enter your full name')
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription('Enter a valid email')
})

test('an invitation greets by name and confirms the account', async ({ page, server }) => {
  const person = await newPerson(server, ['user'], { firstName: 'Grace' })
  const token = await adminToken(server)
  await call(server, api.users.update, { body: { id: person.id, verified: false } }, token)
  const { link } = await call(server, api.users.invite, { id: person.id }, token)

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Welcome, Grace' })).toBeVisible()
  await expect(page.getByLabel('Username')).toHaveValue(person.username)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await expect(page).toHaveURL('/clusters')
  await page.goto('/pages/profile')
  await expect(page.getByText('Confirmed', { exact: true })).toBeVisible()

  const { page: other, close } = await stranger(page)
  await other.goto(link)
  await expect(other.getByRole('alert')).toContainText('This invitation is no longer valid.')
  await expect(other.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await close()
})

test('the landing page links to login, registration and the workshop login', async ({ page }) => {
  for (const [name, path] of [
    ['Log in', '/login'],
    ['Create an account', '/register'],
    ['Join a Workshop', '/training-login'],
  ] as const) {
    await page.goto('/landing')
    await page.getByRole('link', { name }).click()
    await expect(page).toHaveURL(path)
  }
})

test('a logged-in user can skip to the content with the keyboard', async ({ page, server }) => {
  const person = await newPerson(server)
  await open(page, server, person)
  await expect(page).toHaveURL('/clusters')
  await expect(page.getByRole('heading', { name: 'Cluster Manager' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
})

/** A page in another browser context, which is not logged in. */
async function stranger(page: Page) {
  const context = await page.context().browser()?.newContext()
  if (!context) throw new Error('The browser was closed')
  return { page: await context.newPage(), close: () => context.close() }
}
