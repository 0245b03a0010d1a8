import type { Finding } from '@flotilla/contract/doctor'
import type { ServerConfig } from '../../config'
import type { Database } from '../../db/database'
import { findEngine } from '../../doctor/engine'
import { findStorage } from '../../doctor/machine'
import { findProgram, programs } from '../../doctor/programs'
import type { EngineProgram } from '../../engines/engine'

type Options = {
  config: ServerConfig
  db: Database
  engine: () => Promise<EngineProgram>
  /** Why people cannot be kept apart on this machine, or null. */
  whyNotIsolated: string | null
}

export type Doctor = ReturnType<typeof makeDoctor>
/** Looks at everything that the console works with. Nothing is changed. */
export function makeDoctor({ config, db, engine, whyNotIsolated }: Options) {
  const database = async (): Promise<Finding> => ({
    part: 'Database',
    state: 'found',
    version: await db.version(),
    neededFor: 'everything',
    message: db.embedded ? 'PostgreSQL comes with the console' : 'PostgreSQL at DATABASE_URL answers',
    advice: [],
  })
  const mail = (): Finding => ({
    part: 'Mail',
    state: config.smtpUrl ? 'found' : 'trouble',
    version: null,
    neededFor: 'recovering passwords and confirming email addresses',
    message: config.smtpUrl ? 'Mail goes to the server at SMTP_URL' : 'Mail is written to files only',
    advice: config.smtpUrl
      ? []
      : ['Set SMTP_URL to your mail server, as smtp://user:password@mail.example.org'],
  })
  const isolation = (): Finding => ({
    part: 'Jobs on this machine',
    state: whyNotIsolated === null ? 'found' : 'trouble',
    version: null,
    neededFor: 'letting everybody use the cluster This machine',
    message: whyNotIsolated ?? 'People are kept apart from each other and from the console',
    advice:
      whyNotIsolated === null ? [] : ['Run the console as root, or allow user namespaces in the kernel.'],
  })
  return {
    view: async (): Promise<Finding[]> => [
      await database(),
      ...(await findStorage(config.dataDir, config.masterKeyFile)),
      await findEngine(engine),
      ...(await Promise.all(
        programs.map((program) =>
          findProgram(program, program.part === 'Packer' ? config.packerBin : undefined),
        ),
      )),
      mail(),
      isolation(),
    ],
  }
}
