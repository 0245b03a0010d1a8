import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { testSite, testTarget } from '../../test/support/database/backup'
import { testFolder } from '../../test/support/folder'
import { testLog } from '../../test/support/log'
import { runScript } from '../../test/support/console/script'
import { openDatabase } from '../db/database'
import { requireNoRestore } from './target'
import { soakIt } from '../../test/support/soak'

/** `npm run soak` raises this number. */
const KILLS = Number(process.env.FLOTILLA_KILLS ?? 3)
const SIZE = 3_000_000

/** A site that is large enough to kill its backup or restore halfway. */
async function largeSite() {
  const site = await testSite()
  await mkdir(path.join(site.dataDir, 'assets'))
  await writeFile(path.join(site.dataDir, 'assets/large'), randomBytes(SIZE))
  await sql`insert into activities (time, action, subject, detail)
    select now(), 'did', md5(n::text), md5((-n)::text) from generate_series(1, 20000) n`.execute(
    site.db.kysely,
  )
  return site
}

soakIt('kill -9 during a backup leaves no file under its name', async () => {
  const site = await largeSite()
  const folder = await testFolder()
  const file = path.join(folder, 'site.backup')
  const script = await runScript('write-backup', {
    DATABASE_URL: site.db.url,
    DATA_DIR: site.dataDir,
    FILE: file,
    DIE_AFTER: String(256 * 1024),
  })
  expect(await script.end()).toBe('SIGKILL')
  expect((await readdir(folder)).filter((name) => !name.endsWith('.partial'))).toEqual([])
  await site.backup({ file })
})

soakIt(`a restore that is killed ${KILLS} times can be repeated until it is complete`, async () => {
  const site = await largeSite()
  const { file } = await site.backup()
  const target = await testTarget()
  const env = { DATABASE_URL: target.databaseUrl, DATA_DIR: target.dataDir, FILE: file }
  for (let round = 0; round < KILLS; round++) {
    // Each kill comes a little later, until the rows are loaded and files are written.
    const step = (['verify', 'database', 'files'] as const)[round % 3] ?? 'verify'
    const script = await runScript('restore-backup', { ...env, DIE_AT: step, DIE_AFTER: String(round % 10) })
    expect(await script.end()).toBe('SIGKILL')
    if (step !== 'verify') expect(() => requireNoRestore(target.dataDir)).toThrow('interrupted')
  }
  await target.restore(file)
  requireNoRestore(target.dataDir)
  expect((await readFile(path.join(target.dataDir, 'assets/large'))).length).toBe(SIZE)
  expect((await readdir(target.dataDir)).toSorted()).toEqual(['assets', 'homes', 'master.key'])
  const db = await openDatabase({
    dataDir: '/nonexistent',
    databaseUrl: target.databaseUrl,
    log: testLog().log,
  })
  onTestFinished(() => db.close())
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from activities`.execute(db.kysely)
  expect(rows).toEqual([{ n: 20_000 }])
})

test('a restore that was killed right after its rows were committed continues from them', async () => {
  const site = await testSite()
  const { file } = await site.backup()
  const target = await testTarget()
  await target.restore(file)
  // The state at that moment: the marker exists, and the database has the id in it.
  await writeFile(path.join(target.dataDir, 'restore-in-progress'), 'the-id\n')
  await writeFile(path.join(target.dataDir, 'half'), '')
  const db = await openDatabase({
    dataDir: '/nonexistent',
    databaseUrl: target.databaseUrl,
    log: testLog().log,
  })
  await sql`comment on table migrations is 'the-id'`.execute(db.kysely)
  await db.close()
  await target.restore(file)
  expect((await readdir(target.dataDir)).toSorted()).toEqual(['homes', 'master.key'])
})
