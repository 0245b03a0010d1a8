// @ts-check
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { alone } from './lock.mjs'

const folder = mkdtempSync(join(tmpdir(), 'lock-'))
after(() => rmSync(folder, { recursive: true }))

test('the work is done by one caller at a time, and by all of them', async () => {
  const file = join(folder, 'turns')
  let inside = 0
  let most = 0
  let turns = 0
  const work = async () => {
    most = Math.max(most, ++inside)
    await pause(5)
    inside--
    turns++
  }
  await Promise.all([1, 2, 3, 4, 5].map(() => alone(file, work)))
  assert.equal(most, 1)
  assert.equal(turns, 5)
  assert.equal(existsSync(file), false)
})

test('the lock is released when the work fails', async () => {
  const file = join(folder, 'fails')
  await assert.rejects(
    alone(file, async () => {
      throw new Error('no')
    }),
    /no/,
  )
  assert.equal(await alone(file, async () => 'next'), 'next')
})

test('the lock of a dead process is taken over', async () => {
  const file = join(folder, 'dead')
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  writeFileSync(file, String(pid))
  assert.equal(await alone(file, async () => 'taken'), 'taken')
})
