import { api } from '@flotilla/contract/api'
import { domainNotAllowedText } from '@flotilla/contract/email'
import type { Browser, Page } from '@playwright/test'
import { SOAK, expect, test } from './support/fixtures'
import { toLocal } from './support/local-time'
import { codeIn, mailTo } from './support/mailbox'
import { adminToken, call, newPerson, open, openLive, type Person } from './support/people'
import { inspect } from './support/screen'
import type { Server } from './support/server'

let server: Server
let maria: Person
test.beforeAll(async ({ server: shared }) => {
  server = shared
  maria = await newPerson(server, ['instructor', 'user'])
})

/** Fills in the workshop login, with the code in the link. */
async function join(page: Page, code: string, fullName: string, email: string) {
  await page.goto(`${server.url}/training-login?code=${code}`)
  await page.getByLabel('Full Name').fill(fullName)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Login to Workshop Session' }).click()
}
const newPage = async (browser: Browser): Promise<Page> => (await browser.newContext()).newPage()

test('an instructor and three participants go through a workshop together', async ({
  page,
  picture,
  browser,
}) => {
  // The instructor creates the workshop.
  await openLive(page, server, maria, '/trainings')
  await expect(page.getByText('No workshops yet')).toBeVisible()
  await inspect(page, picture, 'workshops-empty')
  await page.getByRole('link', { name: 'New workshop' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toHaveAccessibleDescription(
    'Min character length is 2',
  )
  await page.getByLabel('Name', { exact: true }).fill('Parallel Python')
  await page.getByLabel('Seats', { exact: true }).fill('3')
  await page.getByLabel('Start').fill(toLocal(Date.now() - 60_000))
  await page.getByRole('combobox', { name: /^Cluster/ }).selectOption({ label: 'This machine (available)' })
  await page.getByLabel('Email domains').fill('example.org')
  await page.getByLabel('Two-step verification').selectOption('on')
  await inspect(page, picture, 'workshop-form')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'Parallel Python' })).toBeVisible()
  const code =
    (await page
      .getByText(/^[2-9A-Z]{3}-[2-9A-Z]{3}-[2-9A-Z]{3}$/)
      .first()
      .textContent()) ?? ''
  await page.getByRole('button', { name: 'Show on projector' }).click()
  await expect(page.getByRole('dialog').getByText(code)).toBeVisible()
  await inspect(page, picture, 'workshop-projector')
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: 'Preparation' }).click()
  await page.getByRole('button', { name: 'Run check' }).click()
  await expect(page.getByText(/This machine is available with/)).toBeVisible()
  await page.getByRole('button', { name: 'Prepare seats' }).click()
  await expect(page.getByText('Seats ready')).toBeVisible()
  await inspect(page, picture, 'workshop-preparation')
  await page.getByRole('tab', { name: 'Seats' }).click()

  // Ada opens the link, first enters an email address in a wrong domain, then verifies with the emailed code.
  const ada = await newPage(browser)
  await join(ada, code, 'Ada Lovelace', 'ada@evil.example')
  await expect(ada.getByRole('alert').first()).toContainText(domainNotAllowedText(['example.org']))
  await ada.getByLabel('Email').fill('ada@example.org')
  await ada.getByRole('button', { name: 'Login to Workshop Session' }).click()
  const dialog = ada.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Verify' })).toBeDisabled()
  await dialog.getByLabel('Digit 1 of 6').focus()
  await ada.keyboard.type('000000')
  await dialog.getByRole('button', { name: 'Verify' }).click()
  await expect(dialog.getByText('Invalid or expired verification code')).toBeVisible()
  await inspect(ada, picture, 'workshop-code')
  const digits = codeIn(await mailTo(server.dataDir, 'ada@example.org'))
  await dialog.getByLabel('Digit 1 of 6').focus()
  await ada.keyboard.type(digits)
  await dialog.getByRole('button', { name: 'Verify' }).click()
  await expect(ada.getByRole('heading', { name: 'Cluster Manager' })).toBeVisible()
  await expect(ada.getByRole('link', { name: 'This machine' })).toBeVisible()
  await expect(ada.getByRole('timer')).toBeVisible()
  for (const absent of ['Job Manager', 'Settings', 'Stack Manager'])
    await expect(ada.getByRole('navigation').getByRole('link', { name: absent })).toHaveCount(0)
  await ada.getByRole('navigation').getByRole('link', { name: 'Workshop' }).click()
  await expect(ada.getByRole('heading', { name: 'Parallel Python' })).toBeVisible()

  // Two other participants join.
  const enter = async (fullName: string, email: string): Promise<Page> => {
    const theirs = await newPage(browser)
    await join(theirs, code, fullName, email)
    const box = theirs.getByRole('dialog').getByLabel('Digit 1 of 6')
    await box.focus()
    await theirs.keyboard.type(codeIn(await mailTo(server.dataDir, email)))
    await theirs.getByRole('button', { name: 'Verify' }).click()
    await expect(theirs.getByRole('heading', { name: 'Cluster Manager' })).toBeVisible()
    return theirs
  }
  const eve = await enter('Eve Adams', 'eve@example.org')
  const max = await enter('Max Born', 'max@example.org')

  // The control room shows them without a reload.
  const tile = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await expect(tile('Ada Lovelace')).toContainText('Online')
  await expect(tile('Max Born')).toContainText('Online')
  await ada.getByRole('button', { name: 'Raise hand' }).click()
  await expect(tile('Ada Lovelace')).toContainText('Hand raised')
  await inspect(page, picture, 'workshop-control-room')
  await page.getByRole('button', { name: 'Actions for Ada Lovelace' }).click()
  await page.getByRole('menuitem', { name: 'Lower hand' }).click()
  await expect(ada.getByRole('button', { name: 'Raise hand' })).toBeVisible()

  await page.getByRole('button', { name: 'Message everyone' }).click()
  await page.getByLabel('Message', { exact: true }).fill('Welcome, everyone')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(ada.getByText('Welcome, everyone').first()).toBeVisible()
  await expect(eve.getByText(/Welcome, everyone/).first()).toBeVisible()
  await inspect(ada, picture, 'workshop-participant')

  await page.getByRole('button', { name: 'Table' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'eve@example.org' })).toBeVisible()
  await inspect(page, picture, 'workshop-table')
  await page.getByRole('button', { name: 'Grid' }).click()

  // Max is removed and Ada's seat is reset: both are logged out without a dialog, and Ada gets the same seat again.
  await page.getByRole('button', { name: 'Actions for Max Born' }).click()
  await page.getByRole('menuitem', { name: 'Remove completely' }).click()
  await page.getByRole('button', { name: 'Remove completely' }).click()
  await expect(max.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await expect(tile('Max Born')).toHaveCount(0)

  // Ending the workshop affects all participants at once.
  await page.getByRole('button', { name: /^More actions/ }).click()
  await page.getByRole('menuitem', { name: 'End workshop' }).click()
  await page.getByRole('button', { name: 'End workshop' }).click()
  for (const participant of [ada, eve]) {
    await expect(participant.getByRole('dialog', { name: 'Thank you' })).toBeVisible()
    await expect(participant.getByRole('dialog').getByRole('link', { name: 'Contact Us' })).toBeVisible()
  }
  await page.getByRole('tab', { name: 'Preparation' }).click()
  await expect(page.getByText('Accounts removed', { exact: true })).toBeVisible()
  await inspect(page, picture, 'workshop-receipt')
  await page.getByRole('button', { name: /^More actions/ }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete workshop' }).click()
  await expect(page.getByText('Workshop Deleted')).toBeVisible()
})

test('a timed session counts down and ends with a thank-you', { tag: SOAK }, async ({ page }) => {
  const token = await adminToken(server)
  const training = await call(
    server,
    api.trainings.create,
    { body: { name: 'Short one', data: { twoStep: false, endTime: Date.now() + 12_000 } } },
    token,
  )
  await join(page, training.data.sessionCode, 'Ada Lovelace', 'ada@example.org')
  await expect(page.getByRole('timer')).toBeVisible()
  await expect(
    page
      .getByText('Session Expired')
      .or(page.getByRole('dialog', { name: 'Thank you' }))
      .first(),
  ).toBeVisible({
    timeout: 20_000,
  })
  await expect(page.getByRole('dialog', { name: 'Thank you' })).toBeVisible()
  await open(page, server, maria, '/trainings')
})
