import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ClusterAccess } from '../../clusters/open'
import { AppAgent } from './app-agent'
import { ADDRESS_FILE, readAddress } from '../sessions/launch-script'
import type { Upstream } from './proxy'
import type { RunningSession } from '../sessions/view'

const READY_MS = 5000
const ADDRESS_BYTES = 200

const nothing = () => {}

type Open = Upstream & { close(): void }

export type Upstreams = ReturnType<typeof makeUpstreams>
/** The connections to the apps that are used through this server, opened on first use. */
export function makeUpstreams(clusterAccess: ClusterAccess) {
  const open = new Map<string, Promise<Open>>()
  const opened = new Set<string>()

  const connect = async (row: RunningSession): Promise<Open> => {
    const { connection } = await clusterAccess.forSubmission(row)
    // Read with the account that wrote it, and without following links.
    const files = connection.transport.files(connection.home, row.folder)
    const { stream } = await files.read(ADDRESS_FILE, { offset: 0, length: ADDRESS_BYTES })
    const address = readAddress(await text(stream))
    if (!address || row.native_id === null) throw new Error('The app has not reported its address and port')
    const { host, port, token } = address
    const jobPort = await clusterAccess.openJobPort(connection, { nativeId: row.native_id, host, port })
    const agent = new AppAgent(jobPort)
    return {
      agent,
      token,
      close() {
        agent.destroy()
        jobPort.close()
      },
    }
  }

  const close = (id: string): void => {
    const known = open.get(id)
    open.delete(id)
    opened.delete(id)
    known?.then((one) => one.close(), nothing)
  }

  const upstreamOf = (row: RunningSession): Promise<Upstream> => {
    const known = open.get(row.id)
    if (known) return known
    const made = connect(row)
    open.set(row.id, made)
    made.then(
      () => open.get(row.id) === made && opened.add(row.id),
      () => open.get(row.id) === made && open.delete(row.id),
    )
    return made
  }

  return {
    get: upstreamOf,
    close,
    /** Only open connections: one that is being opened is about to be used. */
    ids: (): string[] => [...opened],
    /** Whether the app responds with its status for being ready. */
    async isReady(row: RunningSession): Promise<boolean> {
      try {
        const { agent, token } = await upstreamOf(row)
        const headers = { authorization: `Bearer ${token}`, host: 'localhost' }
        const signal = AbortSignal.timeout(READY_MS)
        const answer = await new Promise<IncomingMessage>((resolve, reject) => {
          get({ agent, path: row.ready.path, headers, signal }, resolve).once('error', reject)
        })
        answer.on('error', nothing).resume()
        return answer.statusCode === row.ready.status
      } catch {
        // The resource manager may have restarted the job, which then has a new address.
        close(row.id)
        return false
      }
    },
    closeAll(): void {
      for (const id of open.keys()) close(id)
    },
  }
}
