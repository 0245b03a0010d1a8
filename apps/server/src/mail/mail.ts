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
  /** The same for every attempt to send this mail, so that receivers can drop a copy. */
  messageId?: string
}

export interface MailSender {
  send(mail: Mail): Promise<void>
}

export interface MailOptions {
  smtpUrl: string | undefined
  dataDir: string
  from: string
  log: Logger
}

/** Sends by SMTP or, when no server is configured, leaves each mail as a file in DATA_DIR/mail. */
export async function openMail({ smtpUrl, dataDir, from, log }: MailOptions): Promise<MailSender> {
  // Neither the addresses nor the text are for the log: mails carry codes that open accounts.
  const compose = (mail: Mail) => ({ ...mail, from, disableFileAccess: true, disableUrlAccess: true })

  if (smtpUrl !== undefined) {
    const smtp = nodemailer.createTransport({
      url: smtpUrl,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 30_000,
    })
    return {
      async send(mail) {
        const { messageId } = await smtp.sendMail(compose(mail))
        log.info({ messageId }, 'mail sent')
      },
    }
  }

  const folder = path.join(dataDir, 'mail')
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o700)
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  return {
    async send(mail) {
      const { message } = await composer.sendMail(compose(mail))
      if (!Buffer.isBuffer(message)) throw new Error('The mail was composed as a stream')
      const time = new Date().toISOString().replaceAll(':', '-')
      const file = path.join(folder, `${time}-${randomBytes(4).toString('hex')}.eml`)
      await writeDurably(file, message)
      log.info({ file }, 'mail written to a file because SMTP_URL is not set')
    },
  }
}
