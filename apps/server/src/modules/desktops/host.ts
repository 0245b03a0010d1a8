import { DESKTOP_IDLE_MS } from '@flotilla/contract/desktops/desktops'
import { fail, Failure } from '../../fail'
import type { ClusterAccess } from '../clusters/open'
import { ByteReader } from './vnc/byte-reader'
import { logIn, readVersion, type Side } from './vnc/handshake'
import { missingText } from './missing'
import { checkScript, endScript, logScript, relayScript, runScript, startScript } from './scripts'
import { DesktopGone, directStream, relayedStream, type DesktopStream, type DeliverPiece } from './streams'
import { passwordFile, xAuthority } from './vnc/auth'

const COMMAND_MS = 30_000
/** How long its socket may take to appear, in tenths of a second. */
const SOCKET_WAIT = 250
/** The timeout of a handshake, which takes milliseconds. */
const ANSWER_MS = 10_000
/** How long a desktop may take to read what was written to it. */
const CLOSE_MS = 3000
/** The limit of the job; an idle desktop ends by itself long before. */
const WALLTIME = '30-00:00:00'

const script = (text: string, ...args: (string | number)[]): string[] => [
  '/bin/sh',
  '-c',
  text,
  'desktop',
  ...args.map(String),
]

export type ClusterConnection = Awaited<ReturnType<ClusterAccess['forPerson']>>['connection']

/** A connection to the VNC server of a desktop. */
export type DesktopLink = Side & {
  stream: DesktopStream
  close(): void
  /** Like `close`, but without waiting for the relay to end by itself. */
  kill(): void
}
type Queries = Pick<ClusterAccess, 'query' | 'withUserFacingErrors'>
type Started = { folder: string; job: string | null }

export type DesktopHost = ReturnType<typeof makeDesktopHost>
/** Starts, connects to and ends desktops over the connection of the user's own account. */
export function makeDesktopHost({ query, withUserFacingErrors }: Queries, answerMs = ANSWER_MS) {
  const run = async (connection: ClusterConnection, argv: string[], stdin?: string): Promise<string> => {
    const { code, stdout, stderr } = await withUserFacingErrors(
      connection.transport.exec(argv, { timeoutMs: COMMAND_MS, ...(stdin !== undefined && { stdin }) }),
    )
    if (code === 0) return stdout
    const line = stderr.trim().split('\n').at(-1)
    return fail('desktop_failed', { message: `The desktop did not start: ${line || `exit code ${code}`}` })
  }

  /** Idempotent per id. Starts the desktop as a job where other processes would end with the console. */
  const start = async (
    connection: ClusterConnection,
    given: { id: string; clusterId: string; clusterName: string; password: string; asJob: boolean },
  ): Promise<Started> => {
    const { id, clusterId, clusterName, password, asJob } = given
    const lines = [passwordFile(password), xAuthority()].map((bytes) => `${bytes.toString('base64')}\n`)
    const stdin = lines.join('') + runScript(id, DESKTOP_IDLE_MS / 1000)
    const answer = await run(connection, script(startScript, id, clusterId, asJob ? 'job' : 'detach'), stdin)
    const missing = missingText(answer, clusterName)
    if (missing !== null) fail('desktop_missing', { message: missing })
    const folder = /^folder (\/.+)$/m.exec(answer)?.[1]
    if (folder === undefined)
      return fail('desktop_failed', { message: 'The desktop did not start: its folder could not be created' })
    if (!asJob) return { folder, job: null }
    const job = await withUserFacingErrors(
      query(
        connection,
        connection.scheduler.submit(
          {
            name: 'desktop',
            nodes: 1,
            cores: 0,
            gpus: 0,
            walltime: WALLTIME,
            script: `#!/bin/sh\nexec sh ./run "$PWD"\n`,
            workdir: folder,
            stdoutPath: `${folder}/log`,
          },
          id,
        ),
      ),
    )
    return { folder, job }
  }

  const open = async ({ transport }: ClusterConnection, id: string, wait: boolean): Promise<DesktopLink> => {
    const reader = new ByteReader(() => stream.kill())
    // Copied, because its buffer is reused after `done`.
    const take: DeliverPiece = (piece, done) => {
      reader.push(Buffer.from(piece))
      done()
    }
    const stream =
      (await directStream(transport, id, take)) ??
      relayedStream(
        await withUserFacingErrors(transport.stream(script(relayScript, id, wait ? SOCKET_WAIT : 0))),
        take,
      )
    void stream.ended.then((why) => reader.end(why))
    stream.output.resume()
    return {
      stream,
      reader,
      write: (bytes) => void (stream.input.writable && stream.input.write(bytes)),
      close() {
        stream.close()
        const late = setTimeout(stream.kill, CLOSE_MS).unref()
        void stream.ended.then(() => clearTimeout(late))
      },
      kill: stream.kill,
    }
  }

  /**
   * Fails with `DesktopGone` if the desktop has ended. With `wait`, it may still be starting. The listening process
   * belongs to the user, who can stop or replace it: if it sends nothing, the handshake times out; if it sends too
   * much, it is disconnected.
   */
  const openChecked = async (
    connection: ClusterConnection,
    id: string,
    handshake: (link: DesktopLink) => Promise<void>,
    wait = false,
  ): Promise<DesktopLink> => {
    const link = await open(connection, id, wait)
    const silent = new Failure('desktop_failed', {
      message: 'The desktop is not responding. Try again, or end it and start a new one.',
    })
    // Twice the time, because the relay's pauses take longer on a busy machine.
    const startupMs = wait ? 2 * SOCKET_WAIT * 100 : 0
    const late = setTimeout(() => link.reader.end(silent), answerMs + startupMs)
    try {
      await handshake(link)
      link.stream.output.pause()
      return link
    } catch (error) {
      if (error === silent) link.kill()
      else link.close()
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  const probe = async (connection: ClusterConnection, id: string, wait = false): Promise<void> => {
    const link = await openChecked(connection, id, readVersion, wait)
    link.close()
  }

  return {
    start,
    /** Waits until it accepts connections; fails with the end of its log if it does not. */
    async waitUntilUp(connection: ClusterConnection, id: string): Promise<void> {
      try {
        await probe(connection, id, true)
      } catch (error) {
        if (!(error instanceof DesktopGone)) throw error
        const { stdout } = await connection.transport.exec(script(logScript, id), { timeoutMs: COMMAND_MS })
        const last = stdout.trim().split('\n').at(-1)
        fail('desktop_failed', {
          message: `The desktop did not start${last ? `: ${last.trim()}` : '. Try again.'}`,
        })
      }
    },
    probe,
    /** Connects and logs in to its VNC server; the next messages are those after RFB's security handshake. */
    connect: (connection: ClusterConnection, id: string, password: string): Promise<DesktopLink> =>
      openChecked(connection, id, (link) => logIn(link, password)),
    async end(connection: ClusterConnection, id: string, job: string | null): Promise<void> {
      if (job !== null)
        await query(connection, connection.scheduler.cancel(job)).catch(() => {
          // The job has already ended, or the executor has forgotten it.
        })
      await connection.transport.exec(script(endScript, id), { timeoutMs: COMMAND_MS })
    },
    /** What is missing for desktops and how to install it, or null. */
    missing: async (connection: ClusterConnection, clusterName: string): Promise<string | null> =>
      missingText(await run(connection, script(checkScript)), clusterName),
  }
}
