// @ts-check
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openRunFolder } from './run-folder.mjs'

test('a killed run is cleaned up, and a running one is not touched', async () => {
  const ended = spawn('true')
  await once(ended, 'close')
  const left = join(tmpdir(), `flotilla-run-${ended.pid}-database`)
  const others = join(tmpdir(), `flotilla-run-${process.ppid}`)
  for (const folder of [left, others]) mkdirSync(folder, { recursive: true })
  const daemon = spawn('sleep', ['600'], { cwd: left, detached: true, stdio: 'ignore' })
  const gone = once(daemon, 'close')
  const own = await openRunFolder()
  try {
    await gone
    assert.equal(existsSync(left), false)
    assert.equal(existsSync(others), true)
    assert.equal(existsSync(own), true)
  } finally {
    for (const folder of [own, others]) rmSync(folder, { recursive: true })
  }
})
