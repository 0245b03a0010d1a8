import { chmod, chown, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { BuiltinOptions } from '../../../src/schedulers/builtin'
import type { JobRequest } from '../../../src/schedulers/scheduler'
import type { TestExecutor } from './executor'

export type ExecutorPerson = NonNullable<BuiltinOptions['runAs']>

/** A user with a home in DATA_DIR, as the server creates it. */
export async function executorPerson(
  executor: TestExecutor,
  username: string,
  uid: number,
): Promise<ExecutorPerson> {
  const homes = path.join(executor.folder, 'data', 'homes')
  const home = path.join(homes, username)
  await mkdir(home, { recursive: true })
  await chmod(path.join(executor.folder, 'data'), 0o711)
  await chmod(homes, 0o711)
  await chmod(home, 0o700)
  await chown(home, uid, uid)
  return { uid, gid: uid, username, home }
}

let marks = 0

/** Submits a job as the user, with work folder and output in their home. */
export function submitAs(
  executor: TestExecutor,
  who: ExecutorPerson,
  script: string,
  { network, ...more }: Partial<JobRequest> & Pick<BuiltinOptions, 'network'> = {},
): Promise<string> {
  const workdir = path.join(who.home, 'job')
  const job = executor.job({ script, workdir, stdoutPath: path.join(workdir, 'out'), ...more })
  return executor.execute(executor.as(who, network).submit(job, `people-${process.pid}-${marks++}`))
}

export const outputOf = (who: ExecutorPerson): Promise<string> =>
  readFile(path.join(who.home, 'job', 'out'), 'utf8').catch(() => '')
