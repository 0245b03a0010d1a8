import { readFile } from 'node:fs/promises'

/** One that has ended, and whose parent has not yet asked for its exit code, still has a folder there. */
export const alive = async (pid: number): Promise<boolean> =>
  /^State:\s+[^ZX]/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))
