import { mkdir, open, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const isThere = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** Runs `work` under an exclusive lock; the lock of a dead process is ignored. */
export async function withLock<T>(lock: string, work: () => Promise<T>): Promise<T> {
  await mkdir(path.dirname(lock), { recursive: true, mode: 0o700 })
  for (;;) {
    const handle = await open(lock, 'wx', 0o600).catch((error: unknown) => {
      if (!isThere(error)) throw error
    })
    if (handle) {
      await handle.close()
      break
    }
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > 5_000) await rm(lock, { force: true })
    await sleep(5)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}
