import { api } from '@flotilla/contract/api'
import { expect, test } from './support/fixtures'
import { linkIn, mailTo } from './support/mailbox'
import { adminToken, call, newPerson, open, PASSWORD } from './support/people'
import { inspect } from './support/screen'

test('the login page and its forms are accessible', async ({ page, picture }) => {
  await page.goto('/login')
  const intro = page.getByRole('heading', { name: 'Clusters when you need them' })
  await expect(intro).toBeVisible()
  await inspect(page, picture, 'login')

  await page.getByLabel('Username').fill('nobody')
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await expect(page.getByRole('alert')).toHaveText('Authentication Error')
  await inspect(page, picture, 'login-refused')

  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await expect(page.getByRole('button', { name: 'SUBMIT' })).toBeVisible()
  await inspect(page, picture, 'login-recovery')
  await page.getByRole('button', { name: 'SUBMIT' }).click()
  await expect(page.getByText('Recovery email sent')).toBeVisible()
  await inspect(page, picture, 'login-notice')

  await page.getByRole('button', { name: 'Log in with LDAP' }).click()
  await expect(page.getByText('No LDAP Servers Available')).toBeVisible()
  await inspect(page, picture, 'login-ldap')

  await page.goto('/training-login?code=012345')
  await expect(intro).toBeVisible()
  await inspect(page, picture, 'training-login')
})

test('registration and verification are accessible', async ({ page, picture, server }) => {
  const person = await newPerson(server)
  await page.goto('/register')
  await page.getByLabel('Username').fill('1x')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByLabel('Confirm password').fill('other')
  await page.getByLabel('Confirm password').blur()
  await inspect(page, picture, 'register')

  await page.getByLabel('Username').fill(person.username)
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Last name').fill('Lovelace')
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Confirm password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('dialog', { name: 'ERROR' })).toBeVisible()
  await inspect(page, picture, 'error-dialog')

  await page.goto(`/verify?username=${person.username}`)
  await expect(page.getByLabel('Digit 1 of 6')).toBeFocused()
  await page.keyboard.type('123456')
  await page.getByRole('button', { name: 'Verify' }).click()
  await expect(page.getByRole('alert')).toHaveText('Invalid or expired verification code')
  await inspect(page, picture, 'verify')
})

test('the pages behind links in emails and invitations are accessible', async ({ page, picture, server }) => {
  const person = await newPerson(server)
  const token = await adminToken(server)
  await call(server, api.users.recoverPassword, { body: { username: person.username } })
  const { link } = await call(server, api.users.invite, { id: person.id }, token)
  await page.goto(linkIn(await mailTo(server.dataDir, person.email)))
  await expect(page.getByLabel('New password')).toBeVisible()
  await inspect(page, picture, 'recover')
  await page.goto('/recoverPassword/used')
  await expect(page.getByRole('alert')).toBeVisible()
  await inspect(page, picture, 'recover-used')
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Welcome, Ada' })).toBeVisible()
  await inspect(page, picture, 'invitation')
})

test('the landing page, error pages and blocking screens are accessible', async ({
  page,
  picture,
  server,
}) => {
  await page.goto('/landing')
  await expect(page.getByRole('heading', { name: 'Clusters when you need them' })).toBeVisible()
  await inspect(page, picture, 'landing')
  await page.goto('/no/such/page')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await inspect(page, picture, 'error-404')
  await page.goto('/pages/errors/error-500')
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible()
  await inspect(page, picture, 'error-500')
  await page.goto('/pages/profile')
  await expect(page.getByRole('heading', { name: 'Log in to see your profile' })).toBeVisible()
  await inspect(page, picture, 'log-in-first')

  await page.route(`**${api.license.view.path}`, (route) => route.abort('connectionrefused'))
  await page.goto('/login')
  await expect(page.getByRole('alert')).toContainText('Network Error')
  await inspect(page, picture, 'license')
  await page.unroute(`**${api.license.view.path}`)

  await page.route(`**${api.auth.refresh.path}`, (route) => route.abort('connectionrefused'))
  await open(page, server, await newPerson(server))
  await expect(page.getByRole('heading', { name: 'The server cannot be reached' })).toBeVisible()
  await inspect(page, picture, 'unreachable')
})

test('the end of a timed session is accessible', async ({ page, picture, server }) => {
  const timed = await newPerson(server, ['user'], { endTime: Date.now() + 3_600_000 })
  await page.clock.install()
  await open(page, server, timed, '/general_settings')
  await expect(page.getByRole('timer')).toBeVisible()
  await page.clock.fastForward('01:00:00')
  await expect(page.getByRole('dialog', { name: 'Thank you' })).toBeVisible()
  await inspect(page, picture, 'thank-you')
})
