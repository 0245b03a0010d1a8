import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { ClusterAccess } from '../../../../src/modules/clusters/open'
import type { Query } from '../../../../src/schedulers/scheduler'
import { torque } from '../../../../src/schedulers/torque'
import { makeExecute } from '../../exec'
import { installTorque } from './install'

/** A site where accounts see only their own jobs, with the console's login account and the account of one user. */
export async function hidingSite(person: string) {
  const home = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-hiding-'))
  const as = async (account: string) =>
    makeExecute({ PATH: `${(await installTorque(home, account)).bin}:${process.env.PATH}` })
  const [asLogin, asPerson] = [await as('tqlogin'), await as(person)]
  const request = { name: 'job', nodes: 1, cores: 2, gpus: 0, walltime: '01:00:00', script: 'true' }
  const site = {
    /** Whether logging in to the user's account fails. */
    away: false,
    access: {
      forSubmission({ run_as_admin }: { run_as_admin: boolean }) {
        if (site.away && !run_as_admin) return Promise.reject(new Error('no login'))
        return Promise.resolve({ connection: { scheduler: torque, run_as_admin, home } })
      },
      query: ({ run_as_admin }: { run_as_admin: boolean }, query: Query<unknown>) =>
        (run_as_admin ? asLogin : asPerson)(query),
    } as unknown as ClusterAccess,
    /** The queue as the poller sees it. */
    queue: () => asLogin(torque.queue()),
    /** Submits a job as the user and returns its id. */
    submit: () => asPerson(torque.submit({ ...request, workdir: home, stdoutPath: `${home}/out` }, 'mark')),
    /** Writes a file to the job's folder, as a job does when it ends. */
    async writeEnd(submission: string, name: string, text: string) {
      await mkdir(`${home}/flotilla/${submission}`, { recursive: true })
      await writeFile(`${home}/flotilla/${submission}/${name}`, text)
    },
    remove: () => rm(home, { recursive: true, force: true }),
  }
  return site
}
