import { createServer } from 'node:http'
import pino, { type Logger } from 'pino'
import { buildApp } from './app'
import type { ServerConfig } from './config'
import { openDatabase } from './db/database'
import { listen } from './db/listen'
import { migrate } from './db/migrate'
import { migrations } from './db/migrations/index'
import { ensureFirstAdmin } from './first-admin'
import { openSocketServer } from './http/socket'
import { CHANNEL, LiveMessage } from './live/live'
import { openMail } from './mail/mail'
import { mailHandler, makeQueueMail } from './mail/tasks'
import { openQueue } from './queue/queue'
import { openMasterKey } from './secrets/secrets'
import { sweep, sweepHandler } from './sweep'

const STOP_MS = 10_000

export const makeLog = (level: string): Logger =>
  // Nothing logs these in the first place; this holds when somebody forgets.
  pino({ level, redact: ['*.password', '*.token', '*.authorization', '*.userKey', '*.code', '*.headers'] })

export type RunningServer = Awaited<ReturnType<typeof startServer>>

/** Everything that runs: opened in this order, closed in the other. */
export async function startServer(config: ServerConfig, webFolder: string | null) {
  const log = makeLog(config.logLevel)
  const secrets = await openMasterKey(config.masterKeyFile)
  const db = await openDatabase({ dataDir: config.dataDir, databaseUrl: config.databaseUrl, log })
  await migrate(db, migrations)
  const queue = await openQueue({ url: db.url, alone: db.embedded, log })
  const mail = await openMail({ smtpUrl: config.smtpUrl, dataDir: config.dataDir, from: `flotilla@${config.host}`, log })

  const hears = { changes: () => false }
  const app = await buildApp({
    config,
    db,
    secrets,
    queueMail: makeQueueMail(queue, secrets),
    log,
    webFolder,
    hearsChanges: () => hears.changes(),
  })
  const firstPassword = await ensureFirstAdmin(db, app.users, config.dataDir, config.adminPassword)

  // The socket has the console's own port and, when asked for, one more.
  const extraPort = config.websocketPort !== undefined && config.websocketPort !== config.port ? createServer() : null
  const live = openSocketServer([app.http.server, ...(extraPort ? [extraPort] : [])], {
    log,
    authenticate: (token) => app.sessions.authenticate(token, true),
    caller: app.sessions.caller,
  })
  const link = await listen({
    url: db.url,
    channel: CHANNEL,
    onMessage: (payload) => {
      const message = LiveMessage.parse(JSON.parse(payload))
      if (message.kind === 'identity') app.sessions.forget(message.userId)
      live.deliver(message).catch((error: unknown) => log.error({ err: error }, 'a live message was not delivered'))
    },
    onReconnect: () => {
      app.sessions.forgetAll()
      live.resynchronise().catch((error: unknown) => log.error({ err: error }, 'sockets were not brought up to date'))
    },
    log,
  })
  hears.changes = link.healthy

  queue.start([mailHandler(mail, secrets), sweepHandler(app.sweep)], [{ task: sweep, match: '* * * * *' }])
  await app.http.listen({ host: config.host, port: config.port })
  if (extraPort) await new Promise<void>((done, failed) => extraPort.once('error', failed).listen(config.websocketPort, config.host, done))

  return {
    url: `http://${config.host}:${config.port}`,
    firstPassword,
    app,
    db,
    live,
    /** Answers what is under way, then closes; what hangs is left behind after a while. */
    async stop(): Promise<void> {
      const timer = setTimeout(() => process.exit(1), STOP_MS)
      await live.close()
      extraPort?.close()
      await app.http.close()
      await queue.stop()
      await link.close()
      await db.close()
      clearTimeout(timer)
    },
  }
}
