import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** A temporary folder for one test, removed when the test ends. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
