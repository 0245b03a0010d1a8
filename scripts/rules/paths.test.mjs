// @ts-check
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkPaths } from './paths.mjs'

test('a file that is named in a string or text has to exist', () => {
  const base = mkdtempSync(join(tmpdir(), 'paths-'))
  try {
    for (const folder of ['bench/support', 'docs']) mkdirSync(join(base, folder), { recursive: true })
    writeFileSync(
      join(base, 'bench/support/typescript.mjs'),
      `load('bench/support/typescript.mjs'); load('apps/server/src/gone.ts'); load('apps/server/dist/main.mjs')`,
    )
    writeFileSync(
      join(base, 'docs/clouds.md'),
      'See `packages/gone.ts` and https://example.org/apps/other.ts.',
    )
    assert.deepEqual(checkPaths(base), [
      'bench/support/typescript.mjs names apps/server/src/gone.ts, which does not exist',
      'docs/clouds.md names packages/gone.ts, which does not exist',
    ])
  } finally {
    rmSync(base, { recursive: true })
  }
})
