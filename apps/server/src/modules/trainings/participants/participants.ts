import { randomInt } from 'node:crypto'
import type * as z from 'zod/mini'
import { domainNotAllowedText, hasDomainIn } from '@flotilla/contract/email'
import {
  ATTEMPTS_MAX,
  ATTEMPTS_WINDOW_MS,
  CODE_ATTEMPTS,
  CODE_DIGITS,
  CODE_LIFE_MS,
  MAILS_MAX,
  MAILS_WINDOW_MS,
  WRONG_LOGINS_PER_NETWORK_MAX,
  WRONG_LOGINS_WINDOW_MS,
} from '@flotilla/contract/limits'
import type { LoggedIn } from '@flotilla/contract/people/auth'
import { twoStepRuleFor, type TwoStepSettings } from '@flotilla/contract/site/two-step'
import type { trainingLogin } from '@flotilla/contract/trainings/login'
import { networkOf } from '../../../network/client-network'
import type { Database, Transaction } from '../../../db/database'
import { fail } from '../../../fail'
import type { RequestContext } from '../../../http/caller'
import { newId } from '../../../ids'
import type { QueueMail } from '../../../mail/tasks'
import { shareRunning } from '../../../timing/share-running'
import { record, subjectOf } from '../../activities/activities'
import { bucketOf, type Attempts } from '../../attempts/attempts'
import { codeMail } from '../mails'
import { notifyInstructors } from '../notify'
import * as registrations from '../registrations/store'
import type { Seating } from './seating'
import * as seats from '../seats/store'
import type { Hashes } from '../session-code'
import * as store from '../store'
import { stateOf } from '../view'

type Options = {
  db: Database
  attempts: Attempts
  hashes: Hashes
  queueMail: QueueMail
  twoStepRules: () => Promise<TwoStepSettings[]>
  workshopsOn: () => Promise<boolean>
  seating: Seating
  /** Issues a token for a session of this user. */
  tokenFor(userId: string, sessionId: string): Promise<LoggedIn>
  now: () => number
}
type Body<Name extends keyof typeof trainingLogin> = z.output<(typeof trainingLogin)[Name]['body']>

/** How long a verification permits the login. */
const LOGIN_MS = 5 * 60_000
/**
 * Limits the stored registrations, so that strangers who know the code can neither fill the table nor keep others out
 * with invented addresses. Beyond the limit, the oldest unused registrations are removed. A person whose registration
 * was removed registers again by logging in.
 */
const REGISTRATIONS_PER_SEAT = 5
/**
 * Registrations per seat that one network may make in an hour: twice what a class behind one address needs, and too few
 * for one person to push out everyone else's.
 */
const PER_SEAT_AND_NETWORK = 2
const NETWORK_WINDOW_MS = 60 * 60_000
/** Smaller workshops get the limits of one with this many seats, to leave room for mistyped addresses. */
const COUNTED_SEATS_MIN = 10

export type Participants = ReturnType<typeof makeParticipants>
/** Registration, verification and login of participants. */
export function makeParticipants(options: Options) {
  const { db, attempts, hashes, queueMail, twoStepRules, seating, tokenFor, now } = options

  // A whole class logs in at the same moment from the same network.
  const lookUp = shareRunning((codeHash) => store.findByCode(db.kysely, codeHash))
  const requireFewWrongCodes = shareRunning((key) => attempts.require(key, WRONG_LOGINS_PER_NETWORK_MAX))

  /**
   * Wrong codes are counted per network: a class that mistypes stays below the limit, a search through all codes does
   * not. Beyond the limit the right code is rejected too, as otherwise the search could continue.
   */
  const findByCode = async (code: string, context: RequestContext): Promise<store.FoundTraining> => {
    if (!(await options.workshopsOn())) return fail('workshops_off')
    const key = `session code from ${networkOf(context.address)}`
    await requireFewWrongCodes(key)
    const training = await lookUp(hashes.sessionCode(code))
    if (training) return training
    await attempts.take(key, WRONG_LOGINS_PER_NETWORK_MAX, WRONG_LOGINS_WINDOW_MS)
    const text = 'No workshop has this session code. Check it with your instructor.'
    return fail('bad_session_code', { fields: { sessionCode: text } })
  }

  const requireDomain = ({ allowed_domains }: store.FoundTraining, email: string, field: string): void => {
    if (allowed_domains.length === 0 || hasDomainIn(email, allowed_domains)) return
    const message = domainNotAllowedText(allowed_domains)
    fail('bad_input', { message, fields: { [field]: message }, extras: { allowedDomains: allowed_domains } })
  }

  const requireNotEnded = (training: store.FoundTraining): void => {
    if (training.ended_at) fail('wrong_state', { message: 'This workshop has ended' })
  }
  /** A participant whose session was extended may log in again after the workshop has ended for the others. */
  const requireOpen = async (training: store.FoundTraining, email: string): Promise<void> => {
    requireNotEnded(training)
    const state = stateOf(training, now())
    if (state === 'scheduled')
      fail('wrong_state', {
        message: 'This workshop has not started yet. Log in again when it starts.',
        extras: { startTime: training.start_time.getTime() },
      })
    if (state === 'running') return
    const [seat] = await seats.seatsOf(db.kysely, training.id, [email])
    if (!seat?.end_time || seat.end_time.getTime() <= now())
      fail('wrong_state', { message: 'This workshop has ended' })
  }

  const needsCode = async (training: store.FoundTraining, email: string): Promise<boolean> =>
    training.two_step ?? twoStepRuleFor(await twoStepRules(), email) !== undefined

  const countedSeats = (training: store.FoundTraining) => Math.max(training.seats, COUNTED_SEATS_MIN)
  /**
   * Returns the registration of this address if there is one. Otherwise counts a new one against its network. This
   * happens outside a transaction, so that a class does not wait for one row.
   */
  const findOrCount = async (
    training: store.FoundTraining,
    email: string,
    context: RequestContext,
  ): Promise<string | null> => {
    const [known] = await registrations.ofEmails(db.kysely, training.id, [email])
    if (known) return known.id
    await attempts.take(
      `training registration ${training.id} ${networkOf(context.address)}`,
      countedSeats(training) * PER_SEAT_AND_NETWORK,
      NETWORK_WINDOW_MS,
    )
    return null
  }
  const register = async (
    tx: Transaction,
    training: store.FoundTraining,
    { fullName, email }: { fullName: string; email: string },
    context: RequestContext,
  ): Promise<string> => {
    const { id, before } = await registrations.register(tx, {
      id: newId(),
      training_id: training.id,
      email,
      full_name: fullName,
      registered_at: new Date(now()),
    })
    if (before === null) return id
    const tooMany = before + 1 - countedSeats(training) * REGISTRATIONS_PER_SEAT
    if (tooMany > 0 && (await registrations.removeUnused(tx, training.id, id, tooMany)) < tooMany)
      fail('workshop_full')
    await record(tx, null, context, {
      action: 'participant registered',
      subject: subjectOf('workshop', training),
      detail: email,
    })
    await notifyInstructors(tx, training)
    return id
  }

  /** Emails a new code. Returns whether the registration exists. */
  const sendCode = async (tx: Transaction, training: store.FoundTraining, id: string, email: string) => {
    const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0')
    const { numUpdatedRows } = await registrations.update(tx, id, {
      code_hash: hashes.emailedCode(id, code),
      code_expires_at: new Date(now() + CODE_LIFE_MS),
      code_attempts: 0,
    })
    if (numUpdatedRows === 0n) return false
    await queueMail(tx, codeMail(email, training.name, code))
    return true
  }
  const countMail = (training: store.FoundTraining, email: string): Promise<void> =>
    attempts.take(`training mail ${training.id} ${bucketOf(email)}`, MAILS_MAX, MAILS_WINDOW_MS)

  return {
    /** Returns the same whether or not the address was registered before. */
    async register(
      { fullName, sessionCode, participantEmail: email }: Body<'register'>,
      context: RequestContext,
    ) {
      const training = await findByCode(sessionCode, context)
      requireNotEnded(training)
      requireDomain(training, email, 'participantEmail')
      await findOrCount(training, email, context)
      const id = await db.transaction((tx) => register(tx, training, { fullName, email }, context))
      return {
        id,
        fullName,
        sessionCode: training.session_code,
        participantEmail: email,
        training: {
          name: training.name,
          startTime: training.start_time.getTime(),
          endTime: training.end_time.getTime(),
        },
      }
    },

    async generateCode({ fullName, email, sessionCode }: Body<'generateCode'>, context: RequestContext) {
      const training = await findByCode(sessionCode, context)
      requireDomain(training, email, 'email')
      await requireOpen(training, email)
      const verificationRequired = await needsCode(training, email)
      if (verificationRequired) await countMail(training, email)
      const known = await findOrCount(training, email, context)
      await db.transaction(async (tx) => {
        // A known registration may have been removed in the meantime.
        if (known && verificationRequired && (await sendCode(tx, training, known, email))) return
        const id = await register(tx, training, { fullName, email }, context)
        if (verificationRequired) await sendCode(tx, training, id, email)
      })
      const message = verificationRequired
        ? `We emailed a ${CODE_DIGITS}-digit code to ${email}`
        : 'No verification is needed'
      return { verificationRequired, message }
    },

    /** The response does not reveal whether the address is registered. */
    async resendCode({ email, sessionCode }: Body<'resendCode'>, context: RequestContext): Promise<void> {
      const training = await findByCode(sessionCode, context)
      await requireOpen(training, email)
      await countMail(training, email)
      await db.transaction(async (tx) => {
        const registration = await registrations.lock(tx, training.id, email)
        if (registration && (await needsCode(training, email)))
          await sendCode(tx, training, registration.id, email)
      })
    },

    async verifyCode({ email, code, sessionCode, device }: Body<'verifyCode'>, context: RequestContext) {
      const training = await findByCode(sessionCode, context)
      requireNotEnded(training)
      await attempts.take(
        `training verify ${training.id} ${bucketOf(email)}`,
        ATTEMPTS_MAX,
        ATTEMPTS_WINDOW_MS,
      )
      // A wrong code must be counted, so the request fails only after the transaction has committed.
      const verified = await db.transaction(async (tx) => {
        const row = await registrations.lock(tx, training.id, email)
        if (!row?.code_hash || !row.code_expires_at || row.code_expires_at.getTime() <= now()) return false
        if (row.code_hash !== hashes.emailedCode(row.id, code)) {
          const last = row.code_attempts + 1 >= CODE_ATTEMPTS
          await registrations.update(tx, row.id, {
            code_attempts: row.code_attempts + 1,
            ...(last && { code_hash: null }),
          })
          return false
        }
        const at = new Date(now())
        await registrations.update(tx, row.id, {
          code_hash: null,
          verified_at: row.verified_at ?? at,
          login_until: new Date(at.getTime() + LOGIN_MS),
          login_from: hashes.origin(row.id, device, networkOf(context.address)),
        })
        if (!row.verified_at) {
          await record(tx, null, context, {
            action: 'participant verified',
            subject: subjectOf('workshop', training),
            detail: email,
          })
          await notifyInstructors(tx, training)
        }
        return true
      })
      if (!verified) fail('bad_code')
      return { verified }
    },

    /** Logs in to the same seat of the workshop every time, from any device. */
    async login(
      { fullName, email, sessionCode, device }: Body<'login'>,
      context: RequestContext,
    ): Promise<LoggedIn> {
      const training = await findByCode(sessionCode, context)
      requireDomain(training, email, 'email')
      await requireOpen(training, email)
      const verify = await needsCode(training, email)
      const { userId, sessionId } = await db.transaction(async (tx) => {
        if (!verify) await register(tx, training, { fullName, email }, context)
        const row = (await registrations.lock(tx, training.id, email)) ?? fail('verification_needed')
        if (verify) {
          const from = hashes.origin(row.id, device, networkOf(context.address))
          const isVerified = row.login_until && row.login_until.getTime() > now() && row.login_from === from
          if (!isVerified) fail('verification_needed')
        }
        await registrations.update(tx, row.id, { full_name: fullName, login_until: null, login_from: null })
        return seating.sitDown(tx, training, { id: row.id, fullName, email }, context)
      })
      return tokenFor(userId, sessionId)
    },
  }
}
