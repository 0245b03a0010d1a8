import type { Finding } from '@flotilla/contract/site/doctor'
import type { ServerConfig } from '../../config'
import type { Database } from '../../db/database'
import { findEngines } from '../../doctor/engine'
import { findStorage } from '../../doctor/machine'
import { findProgram, programs } from '../../doctor/programs'
import { findDatabase, findMail } from '../../doctor/services'

type Options = {
  config: ServerConfig
  db: Database
  /** Of the mail server; undefined while there is none. */
  mailAddress: () => Promise<string | undefined>
  /** Why people cannot be kept apart on this machine, or null. */
  isolationBlockedReason: string | null
}

export type Doctor = ReturnType<typeof makeDoctor>
/** Checks everything that the console depends on, without changing anything. */
export function makeDoctor({ config, db, mailAddress, isolationBlockedReason }: Options) {
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
  return {
    view: async (): Promise<Finding[]> => [
      await findDatabase(database),
      ...(await findStorage(config.dataDir, config.masterKeyFile)),
      ...(await findEngines(config, process.env)),
      ...(await Promise.all(programs.map(findProgram))),
      await findMail(await mailAddress()),
      isolation(),
    ],
  }
}
