import { api } from '@flotilla/contract/api'
import { mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { backupApp } from '../../../test/support/app/backup-app'
import { testFolder } from '../../../test/support/folder'
import { soakIt } from '../../../test/support/soak'
import { lastDue, nextDue } from './schedule'

const DAY = 24 * 3600_000

test('a backup on request is written once, listed and audited', async () => {
  const app = await backupApp({ BACKUP_PASSPHRASE: 'a passphrase that is long' })
  expect(await app.view()).toMatchObject({
    encrypted: true,
    last: null,
    inProgress: null,
    files: [],
    nextAt: null,
  })
  const started = await app.startNow()
  expect(started.inProgress).toMatchObject({ kind: 'manual', progress: null })
  expect(await app.refused(api.backups.start, { body: {} }, { token: app.token })).toMatchObject({
    status: 409,
    message: 'A backup is already in progress',
  })
  await app.work()
  const { last, files, inProgress } = await app.view()
  expect(inProgress).toBeNull()
  expect(last).toMatchObject({ kind: 'manual', cause: null, encrypted: true, skipped: 0 })
  expect(files).toEqual([
    { name: path.basename(last?.file ?? ''), bytes: last?.bytes, madeAt: expect.any(Number) },
  ])
  expect((await stat(last?.file ?? '')).mode & 0o777).toBe(0o600)
  expect((await app.trail()).filter((line) => line.includes('backup'))).toEqual([
    'chief backup started manual backup',
    'chief backed up manual backup',
  ])
  // The passphrase is neither stored nor logged.
  const stored = JSON.stringify(await app.db.kysely.selectFrom('site_settings').selectAll().execute())
  expect(stored + app.log()).not.toContain('a passphrase that is long')
})

test('the daily backup is made once when it is due, and older ones beyond the limit are removed', async () => {
  const app = await backupApp()
  app.stopClock()
  const folder = path.join(await testFolder(), 'kept here')
  const { nextAt } = await app.set({ folder })
  expect(new Date(nextAt ?? 0).getHours()).toBe(2)
  const sweep = async () => {
    await app.app.sweep()
    return app.work()
  }
  // No backup is made for an hour that had passed when the daily backup was switched on.
  expect(await sweep()).toBe(false)
  await writeFile(path.join(folder, 'flotilla-daily-2020-01-01T00-00-00Z.backup'), 'of another site')
  const names: string[] = []
  // This queries the database, because the session ends after a day without activity.
  const newest = async () =>
    path.basename(
      (
        await app.db.kysely
          .selectFrom('backup_runs')
          .select('file')
          .orderBy('began_at', 'desc')
          .executeTakeFirstOrThrow()
      ).file,
    )
  for (let day = 0; day < 4; day++) {
    app.advance(DAY)
    expect(await sweep()).toBe(true)
    expect(await sweep()).toBe(false)
    names.push(await newest())
  }
  expect((await readdir(folder)).toSorted()).toEqual(
    ['flotilla-daily-2020-01-01T00-00-00Z.backup', ...names.slice(-2)].toSorted(),
  )
})

soakIt('a failure is shown with its cause, and the next backup succeeds', async () => {
  const app = await backupApp()
  const folder = path.join(await testFolder(), 'gone')
  await app.set({ folder })
  await rm(folder, { recursive: true })
  await writeFile(folder, 'a file')
  await app.startNow()
  await app.work()
  const failed = await app.view()
  expect(failed.last?.cause).toContain('ENOTDIR')
  expect(failed.folderProblem).toContain('ENOTDIR')
  expect(await app.trail()).toContain('chief backup failed manual backup')
  await rm(folder)
  await app.startNow()
  await app.work()
  expect((await app.view()).last?.cause).toBeNull()
})

test('a backup that a server stop interrupts is made again and leaves no partial file', async () => {
  const app = await backupApp()
  await app.startNow()
  const folder = path.join(app.dataDir, 'backups')
  await expect(app.work(AbortSignal.abort())).rejects.toThrow('abort')
  expect(await readdir(folder)).toEqual([])
  const { file } = await app.db.kysely.selectFrom('backup_runs').select('file').executeTakeFirstOrThrow()
  // A killed server leaves such a file.
  await writeFile(`${file}.0123456789ab.partial`, 'half')
  await app.work()
  expect(await readdir(folder)).toEqual([path.basename(file)])
})

test('a folder that cannot be used is refused with an error on its field', async () => {
  const app = await backupApp()
  await mkdir(path.join(app.dataDir, 'assets'))
  const outside = await testFolder()
  await symlink(path.join(app.dataDir, 'assets'), path.join(outside, 'link'))
  const settings = { daily: true, hour: 2, keep: 3 }
  for (const folder of [
    'relative',
    '',
    app.dataDir,
    path.join(app.dataDir, 'assets'),
    path.join(outside, 'link'),
    '/proc/none',
  ])
    expect(
      await app.refused(api.backups.set, { body: { ...settings, folder } }, { token: app.token }),
      folder,
    ).toMatchObject({ status: 400, fields: { folder: expect.any(String) } })
  for (const [field, value] of [
    ['hour', 24],
    ['hour', 1.5],
    ['keep', 0],
    ['keep', 366],
  ] as const)
    expect(
      await app.refused(
        api.backups.set,
        { body: { ...settings, folder: outside, [field]: value } },
        { token: app.token },
      ),
    ).toMatchObject({ status: 400, fields: { [field]: expect.any(String) } })
})

test('a backup is due every day at its hour', () => {
  const noon = new Date(2026, 5, 10, 12).getTime()
  expect(lastDue(noon, 12)).toBe(noon)
  expect(lastDue(noon - 1, 12)).toBe(new Date(2026, 5, 9, 12).getTime())
  expect(nextDue(noon, 12)).toBe(new Date(2026, 5, 11, 12).getTime())
  expect(nextDue(noon - 1, 12)).toBe(noon)
})
