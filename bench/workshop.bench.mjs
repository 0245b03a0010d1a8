// @ts-check
// A class joins a workshop at the same moment: everyone enters the session code and the emailed code and logs in, from
// one address.
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { api, print, startProduct } from './support/server.mjs'

const PEOPLE = 300
const GOAL_MS = 3000
const MAIL_MS = 60_000

const dataDir = mkdtempSync(join(tmpdir(), 'flotilla-bench-'))
const product = await startProduct({ env: { DATA_DIR: dataDir } })

/** @param {number[]} times @param {number} share */
const quantile = (times, share) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0

/**
 * Everyone does one step at the same time; the replies are in the order of the participants.
 * @template T
 * @param {string} step
 * @param {(index: number) => Promise<T>} act
 */
async function everyone(step, act) {
  /** @type {number[]} */
  const times = []
  const replies = await Promise.all(
    Array.from({ length: PEOPLE }, async (_, index) => {
      const begun = performance.now()
      const reply = await act(index)
      times.push(performance.now() - begun)
      return reply
    }),
  )
  const late = quantile(times, 0.99)
  print({
    measure: `${step}, ${PEOPLE} at once (99 % within)`,
    value: Math.round(late),
    unit: 'ms',
    beside: `median ${Math.round(quantile(times, 0.5))} ms`,
    goal: `< ${GOAL_MS} ms`,
    ok: late < GOAL_MS,
  })
  return replies
}

/** The codes in the mails, by address: without a mail server, mails are files. */
async function codes() {
  const folder = join(dataDir, 'mail')
  for (const deadline = Date.now() + MAIL_MS; ; await pause(200)) {
    /** @type {Map<string, string>} */
    const found = new Map()
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.eml'))) {
      const mail = readFileSync(join(folder, name), 'utf8')
      const to = /^To: (\S+)/m.exec(mail)?.[1]
      const code = /^Subject: (\d{6})/m.exec(mail)?.[1]
      if (to && code) found.set(to, code)
    }
    if (found.size >= PEOPLE) return found
    if (Date.now() > deadline) throw new Error(`only ${found.size} of ${PEOPLE} mails were sent`)
  }
}

try {
  const { token } = await product.call(api.auth.login, { body: product.admin })
  const training = await product.call(
    api.trainings.create,
    { body: { name: 'Bench', data: { seats: PEOPLE, twoStep: true } } },
    token,
  )
  const { sessionCode } = training.data
  const emailOf = (/** @type {number} */ index) => `student${index}@example.org`
  const personOf = (/** @type {number} */ index) => ({
    fullName: `Student ${index}`,
    email: emailOf(index),
    sessionCode,
  })
  const deviceOf = (/** @type {number} */ index) => `a secret of browser ${index}`

  await everyone('session code', (index) => {
    const { email: participantEmail, ...body } = personOf(index)
    return product.call(api.trainingLogin.register, { body: { ...body, participantEmail } })
  })
  await everyone('request for the emailed code', (index) =>
    product.call(api.trainingLogin.generateCode, { body: personOf(index) }),
  )
  const mailed = await codes()
  await everyone('verification', (index) => {
    const email = emailOf(index)
    const body = { email, sessionCode, code: mailed.get(email) ?? '', device: deviceOf(index) }
    return product.call(api.trainingLogin.verifyCode, { body })
  })
  const logins = await everyone('login', (index) =>
    product.call(api.trainingLogin.login, { body: { ...personOf(index), device: deviceOf(index) } }),
  )
  const seats = await product.call(api.trainings.seats, { id: training.id }, token)
  const accounts = new Set(logins.map(({ user }) => user.id))
  const emails = new Set(seats.flatMap(({ participantEmail }) => participantEmail ?? []))
  print({
    measure: 'people in, each at a seat of their own',
    value: emails.size,
    unit: 'people',
    goal: `${PEOPLE}, none twice`,
    ok: emails.size === PEOPLE && accounts.size === PEOPLE && seats.length === PEOPLE,
  })
} finally {
  await product.stop()
}
