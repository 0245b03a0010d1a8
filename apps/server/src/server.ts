import { lookup } from 'node:dns/promises'
import { createServer, type Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import pino, { type Logger } from 'pino'
import { buildApp } from './app'
import type { ServerConfig } from './config'
import { openDatabase } from './db/database'
import { seekLeadership } from './db/coordination/leader'
import { listen } from './db/coordination/listen'
import { migrate } from './db/migrate'
import { migrations } from './db/migrations/index'
import { canIsolate } from './executor/sandbox/isolation'
import { requireSameKey } from './db/maintenance/same-key'
import { shareSite } from './db/maintenance/site-lock'
import { requireNoRestore } from './backup/target'
import { ensureFirstAdmin } from './first-admin'
import { upgradeClusters } from './modules/clusters/open'
import { openSocketServer } from './http/socket'
import { CHANNEL, LiveMessage } from './live/live'
import { openMail } from './mail/mail'
import { mailHandler, makeQueueMail } from './mail/tasks'
import {
  executorProgram,
  filesWorkerProgram,
  ownFiles,
  simulatedCloudProgram,
  simulatedPackerProgram,
} from './programs'
import { openQueue } from './queue/queue'
import { finishRotation } from './secrets/rotation'
import { markOf, openMasterKey } from './secrets/secrets'

const STOP_MS = 10_000
/** How long requests in progress may take to finish when the server stops. */
const ANSWER_MS = 3000

const makeLog = (level: string): Logger =>
  // Nothing is supposed to log these; redaction is the safety net.
  pino(
    { level, redact: ['*.password', '*.token', '*.authorization', '*.userKey', '*.headers'] },
    // Lines are written in batches: after half a second at the latest, and all of them when the process ends.
    pino.destination({ sync: false, minLength: 8192, periodicFlush: 500 }),
  )

export type RunningServer = Awaited<ReturnType<typeof startServer>>

/** Starts the server. If a part fails to start, the parts opened before it are closed. */
export async function startServer(
  config: ServerConfig,
  webFolder: string | null,
  log = makeLog(config.logLevel),
) {
  const closers: (() => Promise<void> | void)[] = []
  const closeAll = async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  }
  try {
    const parts = await openParts(config, webFolder, log, (close) => void closers.push(close))
    return {
      ...parts,
      /** Finishes the requests in progress, then closes. If that hangs, the process exits after a timeout. */
      async stop(): Promise<void> {
        const timer = setTimeout(() => process.exit(1), STOP_MS)
        await closeAll()
        clearTimeout(timer)
      },
    }
  } catch (error) {
    await closeAll().catch((other: unknown) => log.error({ err: other }, 'a part did not shut down'))
    throw error
  }
}

/** All addresses that the database's host name resolves to. */
async function addressesOf(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl)
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => [])
  return found.map(({ address }) => ({ address, port: Number(port || POSTGRES_PORT) }))
}
const POSTGRES_PORT = 5432

/** Opens the parts in this order; they are closed in reverse. */
async function openParts(
  config: ServerConfig,
  webFolder: string | null,
  log: Logger,
  atStop: (close: () => Promise<void> | void) => void,
) {
  requireNoRestore(config.dataDir)
  const db = await openDatabase({ dataDir: config.dataDir, databaseUrl: config.databaseUrl, log })
  atStop(() => db.close())
  if (!db.embedded) {
    const site = await shareSite(db.url)
    atStop(() => site.release())
  }
  await migrate(db, migrations)
  await finishRotation(db, config.masterKeyFile)
  const secrets = await openMasterKey(config.masterKeyFile)
  await requireSameKey(db, markOf(secrets))
  await upgradeClusters(db, secrets)
  const queue = await openQueue({ url: db.url, alone: db.embedded, log })
  atStop(() => queue.stop())

  const isolation = await canIsolate()
  const link = await listen({ url: db.url, channel: CHANNEL, log })
  atStop(() => link.close())
  const app = await buildApp({
    config,
    db,
    secrets,
    queue,
    executor: {
      program: executorProgram,
      isolationBlockedReason: isolation.ok
        ? null
        : (isolation.reason ?? 'Users cannot be isolated on this machine'),
      ownFiles,
      databaseAddresses: db.embedded ? [] : await addressesOf(db.url),
    },
    filesWorker: filesWorkerProgram,
    simulatedCloud: simulatedCloudProgram,
    simulatedPacker: simulatedPackerProgram,
    queueMail: makeQueueMail(queue, secrets),
    log,
    webFolder,
    receivesChanges: link.healthy,
  })
  const mail = await openMail({ route: app.mailRoute, dataDir: config.dataDir, log })
  const firstPassword = await ensureFirstAdmin({
    db,
    users: app.users,
    clusters: app.clusters,
    dataDir: config.dataDir,
    given: config.adminPassword,
  })

  const live = openSocketServer(app.http.server, {
    authenticate: (token) => app.sessions.authenticate(token, { repeat: true }),
    caller: app.sessions.caller,
    rooms: app.rooms,
    requests: app.socketRequests,
    identityChanged: app.identityChanged,
  })
  link.receive({
    onMessage: (payload) => {
      const message = LiveMessage.parse(JSON.parse(payload))
      if (message.kind === 'identity') app.sessions.forget(message.userId)
      live
        .deliver(message)
        .catch((error: unknown) => log.error({ err: error }, 'a live message was not delivered'))
    },
    onReconnect: () => {
      app.sessions.forgetAll()
      live.resynchronize().catch((error: unknown) => log.error({ err: error }, 'sockets were not updated'))
    },
  })

  queue.start([mailHandler(mail, secrets), ...app.tasks], app.schedules)

  const leader = seekLeadership({
    url: db.url,
    alone: db.embedded,
    onGain: () => app.leaders.forEach(({ start }) => start()),
    onLose: () => app.leaders.forEach(({ stop }) => stop()),
    onMessage: (message) => app.leaders.forEach(({ receive }) => receive(message)),
    log,
  })
  atStop(async () => {
    await leader.close()
    await app.stop()
  })

  // The socket is served on the console's own port and, if configured, on a second one.
  const extraPort =
    config.websocketPort !== undefined && config.websocketPort !== config.port
      ? makeSocketServer(app.http.server)
      : null
  const connections = new Set<Socket>()
  for (const server of [app.http.server, extraPort])
    server?.on('connection', (socket) =>
      connections.add(socket.once('close', () => connections.delete(socket))),
    )
  atStop(async () => {
    const closed = app.http.close()
    extraPort?.close()
    live.close()
    const forceClose = setTimeout(() => {
      for (const socket of connections) socket.destroy()
    }, ANSWER_MS)
    await closed
    clearTimeout(forceClose)
  })
  await app.http.listen({ host: config.host, port: config.port }).catch(explainPort('PORT', config.port))
  if (extraPort)
    await new Promise<void>((done, failed) =>
      extraPort.once('error', failed).listen(config.websocketPort, config.host, done),
    ).catch(explainPort('WEBSOCKET_PORT', config.websocketPort))
  return { url: `http://${config.host}:${config.port}`, firstPassword, app, db, live }
}

/** A second server, which accepts requests for the socket only. */
function makeSocketServer(main: HttpServer): HttpServer {
  const isSocket = (url = '') => url.startsWith('/socket.io/')
  return createServer((request, response) => {
    if (isSocket(request.url)) main.emit('request', request, response)
    else response.writeHead(404).end()
  }).on('upgrade', (request, socket, head) => {
    if (isSocket(request.url)) main.emit('upgrade', request, socket, head)
    else socket.destroy()
  })
}

const explainPort = (variable: string, port: number | undefined) => (error: unknown) => {
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    throw new Error(
      `Port ${port} is in use by another program. Stop it, or choose another port with ${variable}.`,
    )
  throw error
}
