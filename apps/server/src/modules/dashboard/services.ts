import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Finding } from '@flotilla/contract/site/doctor'
import type { ServiceStatus } from '@flotilla/contract/clusters/dashboard'
import { countText } from '@flotilla/contract/count-text'
import type { ServerConfig } from '../../config'
import type { Database } from '../../db/database'
import { findEngines, type Engines } from '../../doctor/engine'
import { diskFigures, makeMeter, processFigures } from '../../doctor/figures'
import { findMail } from '../../doctor/services'
import { messageOf } from '../../explain'
import { recent } from '../../timing/recent'
import * as store from './store'

/** Programs and other machines are queried at most this often, however many users open the page. */
const QUERY_EVERY_MS = 60_000
/** How long a page waits at most for a service that does not respond. */
const TIMEOUT_MS = 1000
const started = Date.now() - process.uptime() * 1000

type Options = {
  config: ServerConfig
  engines: Engines
  db: Database
  ldapStatuses: () => Promise<{ name: string; running: boolean; message: string }[]>
  mailAddress: () => Promise<string | undefined>
  now: () => number
}

const MINUTE_S = 60
const units = [
  ['day', 24 * 60 * MINUTE_S],
  ['hour', 60 * MINUTE_S],
  ['minute', MINUTE_S],
] as const
/** The uptime in its largest unit, because minutes do not matter after a month. */
export function uptimeText(seconds: number): string {
  const unit = units.find(([, size]) => seconds >= size)
  return unit
    ? `Running for ${countText(Math.floor(seconds / unit[1]), unit[0])}`
    : 'Running for less than a minute'
}

const withoutFigures = { cpu: null, memory: null, disk: null }
const asService = ({ part, state, message }: Finding): ServiceStatus => ({
  service: part,
  running: state === 'found',
  message,
  ...withoutFigures,
})

const DIRECTORY = 'LDAP '
const MAIL = 'Mail'
/** The page on which a service that is down can be fixed. */
export const pageOfService = (service: string): string => {
  if (service.startsWith(DIRECTORY)) return '/settings/ldap'
  return service === MAIL ? '/settings/mail' : '/settings/doctor'
}

/** The services that make up the installation, with their status. */
export function makeServices({ config, engines, db, ldapStatuses, mailAddress, now }: Options) {
  const consoleMeter = makeMeter(now)
  const databaseMeter = makeMeter(now)

  const console = async (): Promise<ServiceStatus> => {
    const { user, system } = process.cpuUsage()
    return {
      service: 'Console',
      running: true,
      message: uptimeText(process.uptime()),
      cpu: consoleMeter((user + system) / 1e6, started),
      memory: process.memoryUsage.rss(),
      disk: await diskFigures(config.dataDir),
    }
  }
  const database = async (): Promise<ServiceStatus> => {
    const figures = db.embedded ? await embeddedFigures(config.dataDir) : null
    const common = {
      service: 'Database',
      cpu: figures && databaseMeter(figures.cpuS, started),
      memory: figures?.memory ?? null,
    }
    try {
      const [version, used] = await Promise.all([db.version(), store.databaseSize(db.kysely)])
      // For an external server, only the size of the database is known.
      const disk = db.embedded ? { ...(await diskFigures(config.dataDir)), used } : null
      return { ...common, running: true, message: `PostgreSQL ${version} responds`, disk }
    } catch (error) {
      const message = messageOf(error)
      return { ...common, running: false, message, disk: null }
    }
  }
  const queue = async (): Promise<ServiceStatus> => {
    const { waiting, failed } = await store.queued(db.kysely)
    const texts = [
      `${countText(waiting, 'task')} waiting`,
      ...(failed ? [`${failed} failed permanently`] : []),
    ]
    return { service: 'Queue', running: true, message: texts.join(', '), ...withoutFigures }
  }

  /** Checks that start a program or contact another machine. Each has its own timeout. */
  const slow = (query: () => Promise<ServiceStatus[]>) =>
    recent(query, { everyMs: QUERY_EVERY_MS, timeoutMs: TIMEOUT_MS, now, atFirst: [] })
  const engineStates = slow(async () => (await findEngines(engines)).map(asService))
  const mail = slow(async () => {
    const mailServer = await mailAddress()
    const found = await findMail(mailServer)
    // Without a mail server, mail is written to files. That is a valid setup for a trial, so it does not count as down.
    return [{ ...asService(found), running: found.state === 'found' || mailServer === undefined }]
  })
  const directories = slow(async () =>
    (await ldapStatuses()).map(({ name, running, message }) => ({
      service: DIRECTORY + name,
      running,
      message,
      ...withoutFigures,
    })),
  )

  return {
    async all(): Promise<ServiceStatus[]> {
      const own = Promise.all([console(), database(), queue()])
      return (await Promise.all([own, engineStates(), mail(), directories()])).flat()
    },
  }
}

/** Figures of the embedded PostgreSQL. The first line of `postmaster.pid` is the PID of its parent process. */
async function embeddedFigures(dataDir: string) {
  const folders = ['pg18'].map((name) => path.join(dataDir, name, 'postmaster.pid'))
  for (const file of folders) {
    const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0])
    if (pid > 0) return processFigures(pid)
  }
  return null
}
