import { readFile } from 'node:fs/promises'

/** A process that has ended still has an entry in /proc until its parent collects the exit code. */
export const alive = async (pid: number): Promise<boolean> =>
  /^State:\s+[^ZX]/m.test(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''))
