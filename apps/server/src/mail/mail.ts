import { randomBytes } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import path from 'node:path'
import nodemailer from 'nodemailer'
import type { Logger } from 'pino'
import { writeDurably } from '@flotilla/system/durable-file'

export interface Mail {
  to: string
  subject: string
  text: string
  html?: string
  /** The same for every attempt to send this mail, so that receivers can drop duplicates. */
  messageId?: string
}

export interface MailSender {
  send(mail: Mail): Promise<void>
}

/** A mail server: the environment's URL or what an admin configured. */
export type MailServer =
  | { url: string }
  | { host: string; port: number; security: 'starttls' | 'tls' | 'none'; username: string; password: string }
/** Without a server, mails become files. */
export type MailRoute = { server: MailServer | null; from: string }

export interface MailOptions {
  /** Called for each mail, because the settings can change. */
  route: () => Promise<MailRoute>
  dataDir: string
  log: Logger
}

export function smtpTo(server: MailServer) {
  const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }
  if ('url' in server) return nodemailer.createTransport({ url: server.url, ...timeouts })
  const { host, port, security, username, password } = server
  return nodemailer.createTransport({
    host: host.replace(/^\[|\]$/g, ''),
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(username !== '' && { auth: { user: username, pass: password } }),
    ...timeouts,
  })
}

/** Sends mails by SMTP or, when no server is configured, writes each to a file in DATA_DIR/mail. */
export async function openMail({ route, dataDir, log }: MailOptions): Promise<MailSender> {
  // Neither the addresses nor the text may be logged: mails carry codes that give access to accounts.
  const compose = (mail: Mail, from: string) => ({
    ...mail,
    from,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const folder = path.join(dataDir, 'mail')
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o700)
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return {
    async send(mail) {
      const { server, from } = await route()
      if (server) {
        const { messageId } = await smtpTo(server).sendMail(compose(mail, from))
        log.info({ messageId }, 'mail sent')
        return
      }
      const { message } = await composer.sendMail(compose(mail, from))
      if (!Buffer.isBuffer(message)) throw new Error('The mail was composed as a stream')
      const time = new Date().toISOString().replaceAll(':', '-')
      const file = path.join(folder, `${time}-${randomBytes(4).toString('hex')}.eml`)
      await writeDurably(file, message)
      log.info({ file }, 'mail written to a file because no mail server is set')
    },
  }
}
