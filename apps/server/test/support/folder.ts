import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of its own for one test, removed when the test is over. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
