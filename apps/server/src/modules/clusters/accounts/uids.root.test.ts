import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testApp } from '../../../../test/support/app/app'
import { testFolder } from '../../../../test/support/folder'
import { soakIt } from '../../../../test/support/soak'
import { claimAssigned, localUid } from './uids'

/* Only under root do processes run with the assigned uids. */

let made = 0
/** Starts a console with its own database that keeps its claims in this folder. */
async function consoleOn(claims: string) {
  const app = await testApp()
  onTestFinished(() => app.close())
  const { kysely } = app.db
  await kysely
    .updateTable('site_settings')
    .set({ master_key_mark: `console ${made++}` })
    .execute()
  const person = async (name: string) => (await app.person(name, ['user'])).id
  return {
    person,
    uid: (id: string) => localUid(kysely, id, claims),
    claimAssigned: () => claimAssigned(kysely, claims),
  }
}

test('two consoles on one machine never assign the same uid, and each keeps its own', async () => {
  const claims = path.join(await testFolder(), 'uids')
  const [one, two] = [await consoleOn(claims), await consoleOn(claims)]
  const people = await Promise.all(['adalove', 'bobby', 'carol'].map(one.person))
  const others = await Promise.all(['adalove', 'evelyn', 'frank'].map(two.person))
  const [mine, theirs] = await Promise.all([
    Promise.all(people.map(one.uid)),
    Promise.all(others.map(two.uid)),
  ])
  expect(new Set([...mine, ...theirs]).size).toBe(6)
  expect(Math.min(...mine, ...theirs)).toBeGreaterThan(700_000)
  expect((await readdir(claims)).map(Number)).toEqual(expect.arrayContaining([...mine, ...theirs]))
  expect(await Promise.all(people.map(one.uid))).toEqual(mine)
  expect(await Promise.all(others.map(two.uid))).toEqual(theirs)
})

soakIt('uids that a console assigned earlier or elsewhere are claimed when it starts, and kept', async () => {
  const claims = path.join(await testFolder(), 'uids')
  const old = await consoleOn(claims)
  const ada = await old.person('adalove')
  const uid = await old.uid(ada)
  // Simulates a move to another machine, or an upgrade from a version without claims.
  await rm(claims, { recursive: true })
  await old.claimAssigned()
  const another = await consoleOn(claims)
  expect(await another.uid(await another.person('evelyn'))).not.toBe(uid)
  expect(await old.uid(ada)).toBe(uid)
  await old.claimAssigned()
  expect(await readFile(path.join(claims, String(uid)), 'utf8')).toMatch(/^[0-9a-f]{64}$/)
})

test('a uid that a process uses is not assigned', async () => {
  const claims = path.join(await testFolder(), 'uids')
  const console_ = await consoleOn(claims)
  const first = await console_.uid(await console_.person('adalove'))
  const child = spawn('sleep', ['60'], { uid: first + 1, gid: first + 1 })
  await once(child, 'spawn')
  onTestFinished(() => void child.kill())
  expect(await console_.uid(await console_.person('bobby'))).toBeGreaterThan(first + 1)
})
