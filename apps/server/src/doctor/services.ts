import net from 'node:net'
import type { Finding } from '@flotilla/contract/site/doctor'
import { messageOf } from '../explain'

const TIMEOUT_MS = 5000

/** What is known about the database, from within the running console or from outside it. */
export type DatabaseProbe = { version: string; message: string }

export async function findDatabase(probe: () => Promise<DatabaseProbe>): Promise<Finding> {
  const part = { part: 'Database', neededFor: 'everything' }
  try {
    return { ...part, state: 'found', ...(await probe()), advice: [] }
  } catch (error) {
    const message = messageOf(error)
    const advice = [
      'Without DATABASE_URL the console uses its embedded PostgreSQL: run "npm install" once.',
      'With it, that server must be running and accept this account.',
    ]
    return { ...part, state: 'trouble', version: null, message, advice }
  }
}

const mail = { part: 'Mail', version: null, neededFor: 'password recovery and email confirmation' }

/** Checks only the environment: reading the server under Settings > Mail takes a running console. */
export const findMailOfEnvironment = async (smtpUrl: string | undefined): Promise<Finding> =>
  smtpUrl === undefined
    ? {
        ...mail,
        state: 'trouble',
        message:
          'SMTP_URL is not set, so mail goes to the server in Settings > Mail, or is written to files if there is none',
        advice: ['Check it with “Send test email” under Settings > Mail.'],
      }
    : findMail(smtpUrl)

/** Checks whether the mail server accepts connections; no mail is sent. */
export async function findMail(smtpUrl: string | undefined): Promise<Finding> {
  if (smtpUrl === undefined)
    return {
      ...mail,
      state: 'trouble',
      message: 'Mail is only written to files',
      advice: ['Enter your mail server under Settings > Mail, or set SMTP_URL on the server.'],
    }
  const { protocol, hostname, port } = new URL(smtpUrl)
  const where = { host: hostname, port: Number(port || (protocol === 'smtps:' ? 465 : 587)) }
  const reason = await unreachableReason(where)
  const server = `${where.host}, port ${where.port}`
  return reason === null
    ? { ...mail, state: 'found', message: `Mail goes to ${server}, which responds`, advice: [] }
    : {
        ...mail,
        state: 'trouble',
        message: `The mail server ${server} does not respond: ${reason}`,
        advice: [
          'Correct it under Settings > Mail, or in SMTP_URL, or let this machine reach it. Mail is queued until then.',
        ],
      }
}

const unreachableReason = (where: { host: string; port: number }) =>
  new Promise<string | null>((resolve) => {
    const socket = net.connect(where)
    const end = (reason: string | null) => {
      socket.destroy()
      resolve(reason)
    }
    socket.setTimeout(TIMEOUT_MS, () => end('no response in time'))
    socket.once('connect', () => end(null))
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
  })
