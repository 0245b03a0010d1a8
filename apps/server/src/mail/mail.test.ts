import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { databaseOfTest } from '../../test/support/database/database'
import { testFolder } from '../../test/support/folder'
import { testLog } from '../../test/support/log'
import { startSmtp } from '../../test/support/services/smtp'
import { until } from '../../test/support/until'
import { openQueue } from '../queue/queue'
import { openMasterKey } from '../secrets/secrets'
import { openMail } from './mail'
import { mailHandler, makeQueueMail } from './tasks'

const from = 'Flotilla <flotilla@example.org>'
const routeTo = (url: string | null) => () => Promise.resolve({ server: url === null ? null : { url }, from })
const smtpServer = async (turnAway = 0) => {
  const { stop, ...server } = await startSmtp({ turnAway })
  onTestFinished(stop)
  return server
}
const mail = { to: 'ann@example.org', subject: 'Your code', text: 'The code is 482913.\n.\nGrüße' }

test('without a mail server each mail becomes a file that only its owner can read', async () => {
  const dataDir = await testFolder()
  const { log, lines } = testLog()
  const { send } = await openMail({ route: routeTo(null), dataDir, log })
  await send(mail)
  await send({ ...mail, html: '<p>The code is <b>482913</b></p>' })
  const folder = path.join(dataDir, 'mail')
  const files = (await readdir(folder)).toSorted()
  expect(files).toHaveLength(2)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  const texts = []
  for (const file of files) {
    expect(file).toMatch(/^\d{4}-\d\d-\d\dT[\d.-]+Z-[0-9a-f]{8}\.eml$/)
    expect((await stat(path.join(folder, file))).mode & 0o777).toBe(0o600)
    texts.push(await readFile(path.join(folder, file), 'utf8'))
  }
  for (const text of texts) {
    expect(text).toContain('From: Flotilla <flotilla@example.org>')
    expect(text).toContain('To: ann@example.org')
    expect(text).toContain('Subject: Your code')
    expect(text).toContain('The code is 482913.')
  }
  expect(texts[1]).toContain('multipart/alternative')
  expect(lines()).not.toContain('482913')
  expect(lines()).not.toContain('ann@')
})

test('a mail is sent by SMTP, and the log has neither its content nor its recipient', async () => {
  const { url, received } = await smtpServer()
  const { log, lines } = testLog()
  const { send } = await openMail({ route: routeTo(url), dataDir: await testFolder(), log })
  await send({ ...mail, messageId: '<1@flotilla>' })
  expect(received).toHaveLength(1)
  expect(received[0]?.to).toEqual(['<ann@example.org>'])
  expect(received[0]?.data).toContain('Message-ID: <1@flotilla>')
  expect(received[0]?.data).toContain('The code is 482913.')
  expect(lines()).toContain('mail sent')
  expect(lines()).not.toContain('482913')
  expect(lines()).not.toContain('ann@')
})

test('a name cannot add recipients or headers', async () => {
  const { url, received } = await smtpServer()
  const { send } = await openMail({ route: routeTo(url), dataDir: await testFolder(), log: testLog().log })
  await send({ ...mail, subject: 'Hello\r\nBcc: eve@example.org\r\n\r\nbody' })
  expect(received[0]?.to).toEqual(['<ann@example.org>'])
  expect(received[0]?.data).not.toMatch(/^Bcc:/im)
})

test('a queued mail is sealed, sent after the commit, and retried until the server accepts it', async () => {
  const db = await databaseOfTest()
  const { url, received } = await smtpServer(1)
  const { log, lines } = testLog()
  const secrets = await openMasterKey(path.join(await testFolder(), 'master.key'))
  const queue = await openQueue({ url: db.url, alone: false, log })
  onTestFinished(() => queue.stop())
  const queueMail = makeQueueMail(queue, secrets)
  const refused = db.transaction(async (tx) => {
    await queueMail(tx, { ...mail, to: 'nobody@example.org' })
    throw new Error('no')
  })
  await expect(refused).rejects.toThrow('no')
  await db.transaction((tx) => queueMail(tx, mail))
  const { rows } = await db.pool.query<{ payload: unknown }>(
    'select payload from graphile_worker._private_jobs',
  )
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toMatch(/482913|example\.org/)

  const sender = await openMail({ route: routeTo(url), dataDir: await testFolder(), log })
  queue.start([mailHandler(sender, secrets)])
  await until(() => received.length > 0)
  expect(received.map(({ to }) => to)).toEqual([['<ann@example.org>']])
  expect(lines()).not.toContain('482913')
})
