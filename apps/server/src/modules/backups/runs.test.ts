import { api } from '@flotilla/contract/api'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { backupApp } from '../../../test/support/app/backup-app'

const HOUR = 3600_000

/** A backup that hangs in the middle of its work. */
async function hangingBackup() {
  const app = await backupApp()
  const release = await app.hang()
  await app.startNow()
  const working = app.work()
  // The test handles the rejection.
  working.catch(() => {})
  const pid = await app.hanging()
  const folder = path.join(app.dataDir, 'backups')
  return {
    app,
    working,
    pid,
    release,
    filesIn: () => readdir(folder),
    /** Makes the next backup. */
    async next() {
      await release()
      await app.startNow()
      await app.work()
      return (await app.view()).last
    },
  }
}

test('a backup that takes too long ends with its cause, and the next one may begin', async () => {
  const { app, working, filesIn, next } = await hangingBackup()
  await app.later(20 * HOUR + 1)
  await working
  const { last, inProgress } = await app.view()
  expect(inProgress).toBeNull()
  expect(last).toMatchObject({ cause: 'Timed out after 20 hours', bytes: null })
  expect(app.log()).toContain('Failed: Timed out after 20 hours')
  expect(await filesIn()).toEqual([])
  expect(await next()).toMatchObject({ cause: null })
})

test('a backup that no server works on anymore ends with its cause, and the next one may begin', async () => {
  const app = await backupApp()
  await app.startNow()
  await app.later(21 * HOUR)
  await app.app.sweep()
  expect((await app.view()).inProgress).not.toBeNull()
  await app.later(2 * HOUR)
  await app.app.sweep()
  const { last, inProgress } = await app.view()
  expect(inProgress).toBeNull()
  expect(last).toMatchObject({ cause: 'Not finished within 22 hours. Try again.' })
  expect(await app.work()).toBe(false)
  await app.startNow()
  await app.work()
  expect((await app.view()).last).toMatchObject({ cause: null })
})

test('a backup that a database outage interrupts does not fail but is made again', async () => {
  const { app, working, pid, release, filesIn } = await hangingBackup()
  await app.db.pool.query('select pg_terminate_backend($1)', [pid])
  await expect(working).rejects.toThrow('terminating connection')
  expect(await app.view()).toMatchObject({ last: null, inProgress: { kind: 'manual' } })
  expect(await filesIn()).toEqual([])
  await release()
  await app.work(undefined, 2)
  const { last, inProgress } = await app.view()
  expect(inProgress).toBeNull()
  expect(last).toMatchObject({ cause: null })
  expect(await filesIn()).toEqual([path.basename(last?.file ?? '')])
  expect((await app.trail()).filter((line) => line.includes('backup'))).toEqual([
    'chief backup started manual backup',
    'chief backed up manual backup',
  ])
})

test('a backup is canceled, and the next one may begin', async () => {
  const { app, working, filesIn, next } = await hangingBackup()
  expect((await app.cancel()).inProgress).toMatchObject({ canceling: true })
  await working
  const { last, inProgress } = await app.view()
  expect(inProgress).toBeNull()
  expect(last).toMatchObject({ cause: 'Canceled', canceled: true })
  expect(await filesIn()).toEqual([])
  expect((await app.trail()).filter((line) => line.includes('backup'))).toEqual([
    'chief backup started manual backup',
    'chief backup canceled manual backup',
  ])
  expect(await app.refused(api.backups.cancel, { body: {} }, { token: app.token })).toMatchObject({
    status: 409,
    message: 'No backup is in progress',
  })
  expect(await next()).toMatchObject({ cause: null })
})
