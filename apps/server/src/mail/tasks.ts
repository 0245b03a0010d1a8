import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Transaction } from '../db/database'
import type { Queue } from '../queue/queue'
import { defineTask, handle, type Handler } from '../queue/task'
import { sealContext } from '../secrets/sealed-values'
import type { Secrets } from '../secrets/secrets'
import type { Mail, MailSender } from './mail'

/** The mail is sealed: the queue is a table that ends up in backups, and mails carry one-time codes. */
export const sendMail = defineTask('send-mail', z.object({ sealed: z.string() }))
const CONTEXT = sealContext.mail()
/** About half an hour of retries, which is how long the codes in the mails are valid. */
const ATTEMPTS = 8

const StoredMail = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.optional(z.string()),
  messageId: z.string(),
})

/** Sends the mail if and only if the transaction commits. */
export type QueueMail = (tx: Transaction, mail: Mail) => Promise<void>

export const makeQueueMail =
  (queue: Queue, secrets: Secrets): QueueMail =>
  async (tx, mail) => {
    const stored: z.infer<typeof StoredMail> = { messageId: `<${randomUUID()}@flotilla>`, ...mail }
    await queue.add(
      tx,
      sendMail,
      { sealed: secrets.seal(JSON.stringify(stored), CONTEXT) },
      { maxAttempts: ATTEMPTS },
    )
  }

export const mailHandler = (sender: MailSender, secrets: Secrets): Handler =>
  handle(sendMail, async ({ sealed }) => {
    await sender.send(StoredMail.parse(JSON.parse(secrets.open(sealed, CONTEXT).toString())))
  })
