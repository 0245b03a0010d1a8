import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import path from 'node:path'

const PASS_THROUGH = 0o001

/** Whether other accounts can access a folder: every folder above it must be traversable. */
export async function isReachable(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  if ((mode & PASS_THROUGH) === 0) return false
  const above = path.dirname(folder)
  return above === folder || isReachable(above)
}

/**
 * The places for users' home directories on this machine: in DATA_DIR or, if other accounts cannot access that (in
 * root's own home, for example), in /var/lib.
 */
export const homesPlaces = (dataDir: string) => ({
  inside: path.join(dataDir, 'homes'),
  outside: path.join('/var/lib/flotilla', createHash('sha256').update(dataDir).digest('hex').slice(0, 12)),
})
