// @ts-check
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { compare } from './build.mjs'

const folder = mkdtempSync(join(tmpdir(), 'build-'))
const file = join(folder, 'src/main.ts')
after(() => rmSync(folder, { recursive: true }))

beforeEach(() => {
  mkdirSync(join(folder, 'src'), { recursive: true })
  writeFileSync(file, 'one')
})

test('files that were never built have changed, files that were just built have not', () => {
  const { changed, now } = compare([folder], undefined)
  assert.equal(changed, true)
  assert.equal(compare([folder], now).changed, false)
})

test('a file that was only touched has not changed', () => {
  const { now } = compare([folder], undefined)
  utimesSync(file, new Date(), new Date(0))
  const again = compare([folder], now)
  assert.equal(again.changed, false)
  assert.notEqual(again.now.seen, now.seen)
})

test('different content is detected even if size and time are the same', () => {
  const { now } = compare([folder], undefined)
  const { atime, mtime } = statSync(file)
  writeFileSync(file, 'two')
  utimesSync(file, atime, mtime)
  assert.equal(compare([folder], now).changed, true)
})

test('new and removed files count as changes, tests and build output do not', () => {
  const { now } = compare([folder], undefined)
  writeFileSync(join(folder, 'src/main.test.ts'), '')
  mkdirSync(join(folder, 'dist'), { recursive: true })
  writeFileSync(join(folder, 'dist/main.js'), '')
  assert.equal(compare([folder], now).changed, false)
  writeFileSync(join(folder, 'src/other.ts'), '')
  assert.equal(compare([folder], now).changed, true)
  rmSync(join(folder, 'src/other.ts'))
  assert.equal(compare([folder], now).changed, false)
})
