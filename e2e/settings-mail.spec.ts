import { startSmtp } from '../apps/server/test/support/services/smtp'
import { SOAK, expect, test } from './support/fixtures'
import { newPerson, open } from './support/people'
import { inspect } from './support/screen'

test(
  'an admin enters a mail server, and a test email shows its response',
  { tag: SOAK },
  async ({ page, server, picture }) => {
    const smtp = await startSmtp({ login: 'mailer:hunter2-secret' })
    try {
      await open(page, server, await newPerson(server, ['admin']), '/settings/mail')
      const send = page.getByRole('button', { name: 'Send test email' })
      const password = page.getByLabel(/^Password/)
      await page.getByLabel('Recipient').fill('ann@example.org')
      await send.click()
      await expect(page.getByText(/No mail server is configured/)).toBeVisible()
      await page.getByRole('radio', { name: 'A mail server' }).check()
      await page.getByLabel('Host').fill('127.0.0.1')
      await page.getByLabel('Port').fill(String(smtp.port))
      await page.getByLabel('Security').selectOption('none')
      await page.getByLabel('Username').fill('mailer')
      await password.fill('wrong')
      await page.getByLabel('Sender address').fill('hpc@example.org')
      const save = page.getByRole('button', { name: 'Save', exact: true })
      await save.click()
      await expect(page.getByText('Mail settings saved')).toBeVisible()
      await send.click()
      await expect(page.getByText(/refused the username or the password.*535 5\.7\.8/)).toBeVisible()
      await inspect(page, picture, 'settings-mail-refused', ['desk'])
      await password.fill('hunter2-secret')
      await save.click()
      await expect(password).toHaveValue('')
      await send.click()
      await expect(page.getByText(/Its response: 250 2\.0\.0 kept as 4711/)).toBeVisible()
      await inspect(page, picture, 'settings-mail')
      expect(smtp.received[0]?.to).toEqual(['<ann@example.org>'])
      expect(await page.content()).not.toContain('hunter2')
      expect(server.log()).not.toContain('hunter2')
      await page.getByRole('radio', { name: 'Files' }).check()
      await save.click()
      await expect(page.getByText('Mail settings saved')).toBeVisible()
    } finally {
      smtp.stop()
    }
  },
)
