import path from 'node:path'
import type { Finding } from '@flotilla/contract/site/doctor'
import type { ServerConfig } from '../../config'
import type { Database } from '../../db/database'
import { findEngines, type Engines } from '../../doctor/engine'
import { findStorage } from '../../doctor/machine'
import { findProgram, programs } from '../../doctor/programs'
import { findDatabase, findMail } from '../../doctor/services'

type Options = {
  config: ServerConfig
  engines: Engines
  db: Database
  /** The address of the mail server; undefined if there is none. */
  mailAddress: () => Promise<string | undefined>
  configProblems: () => Promise<string[]>
  /** Why users cannot be isolated from each other on this machine, or null. */
  isolationBlockedReason: string | null
}

export type Doctor = ReturnType<typeof makeDoctor>
/** Checks everything that the console depends on, without changing anything. */
export function makeDoctor({
  config,
  engines,
  db,
  mailAddress,
  configProblems,
  isolationBlockedReason,
}: Options) {
  const database = async () => ({
    version: await db.version(),
    message: db.embedded ? 'The embedded PostgreSQL responds' : 'PostgreSQL at DATABASE_URL responds',
  })
  const isolation = (): Finding => ({
    part: 'Jobs on this machine',
    state: isolationBlockedReason === null ? 'found' : 'trouble',
    version: null,
    neededFor: 'letting everyone use the cluster This machine',
    message: isolationBlockedReason ?? 'Users are isolated from each other and from the console',
    advice:
      isolationBlockedReason === null
        ? []
        : ['Run the console as root, or allow user namespaces in the kernel.'],
  })
  const configuration = async (): Promise<Finding> => {
    const problems = await configProblems()
    return {
      part: 'Configuration',
      state: problems.length === 0 ? 'found' : 'trouble',
      version: null,
      neededFor: 'branding, login rules and features of this site',
      message: problems.length === 0 ? 'The configuration files are valid' : problems.join('; '),
      advice:
        problems.length === 0
          ? []
          : [`Correct the files in ${path.join(config.dataDir, 'assets')}. Changes take effect immediately.`],
    }
  }
  return {
    view: async (): Promise<Finding[]> => [
      await findDatabase(database),
      ...(await findStorage(config.dataDir, config.masterKeyFile)),
      ...(await findEngines(engines)),
      ...(await Promise.all(programs.map(findProgram))),
      await findMail(await mailAddress()),
      isolation(),
      await configuration(),
    ],
  }
}
