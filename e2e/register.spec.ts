import { api } from '@flotilla/contract/api'
import type { Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { removeLicense, uploadLicense } from './support/license-file'
import { codeIn, mailTo } from './support/mailbox'
import { newPerson, PASSWORD } from './support/people'
import type { Server } from './support/server'
import { writeConfig } from './support/site-config'

let usersCreated = 0
const newcomer = () => {
  usersCreated += 1
  const username = `new${process.pid}x${usersCreated}`
  return { username, firstName: 'Grace', lastName: 'Hopper', email: `${username}@example.org` }
}

async function fill(page: Page, { username, firstName, lastName, email }: ReturnType<typeof newcomer>) {
  // The login page, from which users come, also has a username field.
  await expect(page.getByRole('heading', { name: 'CREATE AN ACCOUNT' })).toBeVisible()
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('First name').fill(firstName)
  await page.getByLabel('Last name').fill(lastName)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Confirm password').fill(PASSWORD)
}

const create = (page: Page) => page.getByRole('button', { name: 'Create account' })

const passwordRule =
  'Must be at least 8 characters long containing at least 1 lowercase, 1 uppercase, 1 numeric, and 1 special character such as !@#$%^&*.'

test('every validation rule is shown below its field', async ({ page }) => {
  await page.goto('/register')
  await expect(page.getByRole('heading', { name: 'CREATE AN ACCOUNT' })).toBeVisible()
  await fill(page, newcomer())
  await expect(create(page)).toBeEnabled()
  const wrong: [label: string, text: string, rule: string][] = [
    ['Username', 'abc', 'Min character length is 4'],
    ['Username', '1abc', 'Use only letters and numbers. The first character must be a letter.'],
    ['Username', 'ab-cd', 'Use only letters and numbers. The first character must be a letter.'],
    ['Username', 'Admin', 'This username is restricted'],
    ['Username', 'ROOT', 'This username is restricted'],
    ['First name', 'A', 'Min character length is 2'],
    ['First name', 'Ada1', 'First name contains invalid characters'],
    ['Last name', 'B', 'Min character length is 2'],
    ['Last name', 'Love lace', 'Last name contains invalid characters'],
    ['Email', 'nobody@', 'Enter a valid email'],
    ['Password', 'short', passwordRule],
    ['Password', 'alllowercase7!', passwordRule],
    ['Password', 'NoSpecial77', passwordRule],
    ['Confirm password', 'Other-Horse-7!', 'Passwords do not match'],
  ]
  for (const [label, text, rule] of wrong) {
    const field = page.getByLabel(label, { exact: true })
    const right = await field.inputValue()
    await field.fill(text)
    await field.blur()
    await expect(field, `${label}: ${text}`).toHaveAccessibleDescription(new RegExp(`^${escape(rule)}`))
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await expect(create(page)).toBeDisabled()
    await field.fill(right)
  }
  await expect(create(page)).toBeEnabled()
})

const escape = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

test('with the Site license type, a new user is logged in; registering the same name again is rejected in a dialog', async ({
  page,
}) => {
  const person = newcomer()
  await page.goto('/login')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await fill(page, person)
  const sent = page.waitForRequest(`**${api.auth.register.path}`)
  await create(page).click()
  expect((await sent).postDataJSON()).toEqual({ ...person, password: PASSWORD })
  await expect(page).toHaveURL('/clusters')
  // The page takes the focus when it has loaded, which would close an open menu.
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await page.getByRole('button', { name: 'User menu for Grace Hopper' }).click()
  await page.getByRole('menuitem', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')

  await page.getByRole('link', { name: 'Create an account' }).click()
  await fill(page, person)
  await create(page).click()
  const dialog = page.getByRole('dialog', { name: 'ERROR' })
  await expect(dialog).toContainText('This username or email address is already taken...')
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByLabel('Username')).toHaveValue(person.username)
})

test.describe('with a license', () => {
  let server: Server
  test.beforeAll(async ({ server: shared }) => {
    server = shared
    await uploadLicense(server, 'Multi-User')
  })
  test.afterAll(() => removeLicense(server))

  const digits = (page: Page) => page.getByRole('group', { name: 'Verification code' }).getByRole('textbox')
  const valuesOf = (page: Page) =>
    digits(page).evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value).join('')) // all are inputs

  test('Multi-User asks for the emailed code', { tag: SOAK }, async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url })
    const person = newcomer()
    await page.goto(`${server.url}/register`)
    await fill(page, person)
    await create(page).click()
    await expect(page).toHaveURL(`${server.url}/verify?username=${person.username}`)
    const code = codeIn(await mailTo(server.dataDir, person.email))
    const verify = page.getByRole('button', { name: 'Verify' })
    await expect(digits(page)).toHaveCount(6)
    await expect(digits(page).first()).toBeFocused()
    await expect(verify).toBeDisabled()

    // Typing moves to the next box; backspace in an empty box moves back.
    await page.keyboard.type('1x2')
    expect(await valuesOf(page)).toBe('12')
    await expect(digits(page).nth(2)).toBeFocused()
    await page.keyboard.press('Backspace')
    await expect(digits(page).nth(1)).toBeFocused()
    expect(await valuesOf(page)).toBe('1')

    const wrong = code === '000000' ? '111111' : '000000'
    await page.evaluate(
      (text) => navigator.clipboard.writeText(text),
      ` ${wrong.slice(0, 3)}-${wrong.slice(3)}99 `,
    )
    await page.keyboard.press('ControlOrMeta+V')
    expect(await valuesOf(page)).toBe(wrong)
    await verify.click()
    await expect(page.getByRole('alert')).toHaveText('Invalid or expired verification code')

    await page.evaluate((text) => navigator.clipboard.writeText(text), code)
    await digits(page).first().focus()
    await page.keyboard.press('ControlOrMeta+V')
    await expect(page.getByRole('alert')).toHaveCount(0)
    await verify.click()
    await expect(page).toHaveURL(`${server.url}/login`)
    // The URL changes before the page does, and the previous page also has a username field.
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
    await page.getByLabel('Username').fill(person.username)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await expect(page).toHaveURL(`${server.url}/clusters`)
  })

  test(
    'Multi-User asks for a code again after the email address changes',
    { tag: SOAK },
    async ({ page }) => {
      const person = await newPerson(server)
      const moved = `moved.${person.email}`
      const enter = async () => {
        await page.getByLabel('Username').fill(person.username)
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
        await page.getByRole('button', { name: 'Log in', exact: true }).click()
      }
      await page.goto(`${server.url}/login`)
      await enter()
      await expect(page).toHaveURL(`${server.url}/clusters`)
      await page.goto(`${server.url}/pages/profile`)
      await page.getByLabel('Email').fill(moved)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(
        page.getByText(`We emailed a code to ${moved}. Log in again to confirm the address.`),
      ).toBeVisible()
      await expect(page.getByText('Log in to see your profile').or(page.getByLabel('Username'))).toBeVisible()
      await page.goto(`${server.url}/login`)
      await enter()
      await page.getByRole('main').getByRole('link', { name: /code/i }).click()
      await expect(digits(page)).toHaveCount(6)
      await digits(page).first().focus()
      await page.keyboard.type(codeIn(await mailTo(server.dataDir, moved)))
      await page.getByRole('button', { name: 'Verify' }).click()
      await expect(page.getByText('Email address confirmed')).toBeVisible()
      await enter()
      await expect(page).toHaveURL(/(clusters|profile)$/)
    },
  )

  test(
    'a code can be resent after a delay, which is shorter after the first time',
    { tag: SOAK },
    async ({ page }) => {
      const person = newcomer()
      await page.clock.install()
      await page.goto(`${server.url}/register`)
      await page.clock.resume()
      await fill(page, person)
      await create(page).click()
      const resend = page.getByRole('button', { name: 'Resend Code' })
      await expect(resend).toBeVisible()
      await mailTo(server.dataDir, person.email)
      // The page's clock is paused, so that the test sees every second of the countdown.
      await page.clock.pauseAt(Date.now() + 60_000)
      await resend.click()
      await expect(page.getByRole('button', { name: 'Sent (20)' })).toBeDisabled()
      await mailTo(server.dataDir, person.email, 2)
      await page.clock.runFor(1000)
      await expect(page.getByRole('button', { name: 'Sent (19)' })).toBeDisabled()
      await page.clock.runFor(19_000)
      await resend.click()
      await expect(page.getByRole('button', { name: 'Sent (10)' })).toBeDisabled()
      await page.clock.resume()
      const newest = codeIn(await mailTo(server.dataDir, person.email, 3))
      await digits(page).first().focus()
      await page.keyboard.type(newest)
      await page.getByRole('button', { name: 'Verify' }).click()
      await expect(page).toHaveURL(`${server.url}/login`)
    },
  )

  test('any other license type leads to the login page', { tag: SOAK }, async ({ page }) => {
    await uploadLicense(server, 'Department')
    await page.goto(`${server.url}/register`)
    await fill(page, newcomer())
    await create(page).click()
    await expect(page).toHaveURL(`${server.url}/login`)
    await expect(page.getByText('User created successfully')).toBeVisible()
    await uploadLicense(server, 'Multi-User')
  })

  test('with registration off, the page redirects to the login page, which does not offer it', async ({
    page,
  }) => {
    await writeConfig(server.dataDir, { register: false })
    await page.goto(`${server.url}/register`)
    await expect(page).toHaveURL(`${server.url}/login`)
    await expect(page.getByRole('button', { name: 'Log in', exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Create an account' })).toHaveCount(0)
    await writeConfig(server.dataDir, {})
  })
})
