import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { byHand } from './support/by-hand'
import { SOAK, expect, test } from './support/fixtures'
import { newPerson, open } from './support/people'
import { inspect } from './support/screen'
import { startServer } from './support/server'

const run = promisify(execFile)
const cli = (command: string) => join(import.meta.dirname, `../apps/server/dist/cli/${command}.js`)

test(
  'an admin backs up now, and turns on the daily backup',
  { tag: SOAK },
  async ({ page, server, picture }) => {
    await open(page, server, await newPerson(server, ['admin']), '/settings')
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Backup' }).click()
    await expect(page.getByText('No backups yet')).toBeVisible()
    await expect(page.getByText('Backups are not encrypted')).toBeVisible()
    await expect(page.getByText('Daily backup is off')).toBeVisible()
    await inspect(page, picture, 'backup-empty')

    await test.step('back up now', async () => {
      await page.getByRole('button', { name: 'Back up now' }).click()
      await expect(page.getByText('Succeeded')).toBeVisible()
      const row = page
        .getByRole('table', { name: 'Backup files' })
        .getByRole('row', { name: /flotilla-manual-/ })
      await expect(row).toBeVisible()
      const [name = ''] = await readdir(join(server.dataDir, 'backups'))
      expect((await stat(join(server.dataDir, 'backups', name))).mode & 0o777).toBe(0o600)
    })

    await test.step('a backup in progress is canceled', async () => {
      // No server runs this backup, so it stays in progress during the test.
      const columns = 'id, kind, began_at, file'
      await byHand(server, [`insert into backup_runs (${columns}) values ('slow', 'daily', now(), '/slow')`])
      await expect(page.getByRole('progressbar', { name: 'Backup in progress' })).toBeVisible()
      await inspect(page, picture, 'backup-in-progress', ['desk'])
      await page.getByRole('button', { name: 'Cancel backup' }).click()
      await expect(page.getByRole('progressbar', { name: 'Canceling the backup' })).toBeVisible()
      await byHand(server, [`delete from backup_runs where id = 'slow' and cancel_asked`])
      await expect(page.getByRole('button', { name: 'Cancel backup' })).toBeHidden()
    })

    await test.step('a folder that cannot be used is rejected on its field', async () => {
      const folder = page.getByLabel('Folder on the server')
      await folder.fill(join(server.dataDir, 'assets'))
      await page.getByRole('switch', { name: 'Back up every day' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByText('Choose a folder outside of DATA_DIR')).toBeVisible()
      await inspect(page, picture, 'backup-refused', ['desk'])
      await folder.fill(join(server.dataDir, 'backups'))
      await page.getByLabel(/^Hour/).selectOption('03:00')
      await page.getByLabel('Daily backups to keep').fill('7')
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByText('Backup settings saved')).toBeVisible()
    })
    await page.reload()
    await expect(page.getByRole('switch', { name: 'Back up every day' })).toBeChecked()
    await expect(page.getByLabel('Daily backups to keep')).toHaveValue('7')
    await expect(page.getByText('Daily backup is off')).toBeHidden()
    await inspect(page, picture, 'backup')
  },
)

test('a failed backup is shown with its cause', { tag: SOAK }, async ({ page, server, picture }) => {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-e2e-backups-'))
  await open(page, server, await newPerson(server, ['admin']), '/settings/backup')
  await page.getByLabel('Folder on the server').fill(join(folder, 'share'))
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Backup settings saved')).toBeVisible()
  // This has the same effect as a network share that is unmounted.
  await rm(folder, { recursive: true })
  await page.getByRole('button', { name: 'Back up now' }).click()
  await expect(page.getByText('The last backup failed')).toBeVisible()
  await inspect(page, picture, 'backup-failed')
})

test('users stay logged in when a site is restored to another folder', { tag: SOAK }, async ({ page }) => {
  test.slow()
  const passphrase = { BACKUP_PASSPHRASE: 'a passphrase of this test' }
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-e2e-restore-'))
  await chmod(folder, 0o755)
  const file = join(folder, 'site.backup')
  const first = await startServer()
  const env = { PATH: process.env.PATH ?? '', ...passphrase }
  await open(page, first, first.admin, '/settings/backup')
  const made = await run(process.execPath, [cli('backup'), file], {
    env: { ...env, DATA_DIR: first.dataDir },
  })
  expect(made.stdout).toContain('encrypted.')
  await first.stop()

  const dataDir = join(folder, 'restored')
  const restored = await run(process.execPath, [cli('restore'), file], { env: { ...env, DATA_DIR: dataDir } })
  expect(restored.stdout).toContain('Restored')
  // The address is the same, so the browser's session is valid for it.
  const second = await startServer({ dataDir, port: first.port, env: passphrase })
  await page.reload()
  await expect(page.getByText('On, with BACKUP_PASSPHRASE')).toBeVisible()
  await second.stop()
  await rm(folder, { recursive: true, force: true })
})
