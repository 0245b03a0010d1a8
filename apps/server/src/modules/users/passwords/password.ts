import { hash, verify } from '@node-rs/argon2'
import {
  PASSWORDS_WAITING_MAX,
  PASSWORDS_WAITING_PER_NETWORK_MAX,
  WRONG_LOGINS_PER_NETWORK_MAX,
  WRONG_LOGINS_WINDOW_MS,
} from '@flotilla/contract/limits'
import { countText } from '@flotilla/contract/count-text'
import { Failure } from '../../../fail'
import { FairQueue, type Source } from './fair-queue'

// Uses argon2id, the library's default, with the memory in KiB and the passes that OWASP recommends.
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
export const hashPassword = (password: string): Promise<string> => hash(password, options)

const room = { perLane: PASSWORDS_WAITING_PER_NETWORK_MAX, total: PASSWORDS_WAITING_MAX }
/** Higher than the number of checks, because some logins wait for the database in the meantime. */
const LOGINS_AT_ONCE = 4
/**
 * Node has four threads for slow work. Files and new database connections need some of them while many users log in.
 */
const CHECKS_AT_ONCE = 2
/** The number of concurrent logins that one directory gets. */
const DIRECTORY_LOGINS_AT_ONCE = 8
/** The number of networks whose wrong passwords are counted. Beyond it the oldest entry is dropped. */
const NETWORKS_MAX = 10_000

/** The source of a user who is logged in or has a link that was emailed to them. */
export const knownAccount = (account: string): Source => ({ lane: `account ${account}`, known: true })

/**
 * Hashes and checks passwords in a fair queue. A network that sends too many wrong passwords is blocked for a while.
 */
export type PasswordChecker = ReturnType<typeof makePasswordChecker>
export function makePasswordChecker(now: () => number) {
  const logins = new FairQueue({ workers: LOGINS_AT_ONCE, ...room })
  const directories = new Map<string, FairQueue>()
  const atMost = limiter(CHECKS_AT_ONCE)
  const wrong = new Map<string, { count: number; endsAt: number }>()

  const flooding = (endsAt: number): Failure => {
    const seconds = Math.max(1, Math.ceil((endsAt - now()) / 1000))
    return new Failure('too_many_attempts', {
      message: `Too many failed logins from your network. Try again in ${countText(seconds, 'second')}.`,
      retryAfter: seconds,
    })
  }
  const refuseFlooding = ({ lane, known }: Source): void => {
    const { count = 0, endsAt = 0 } = wrong.get(lane) ?? {}
    if (!known && count >= WRONG_LOGINS_PER_NETWORK_MAX && endsAt > now()) throw flooding(endsAt)
  }
  const noteWrong = ({ lane, known }: Source): void => {
    if (known) return
    const before = wrong.get(lane)
    const running = before !== undefined && before.endsAt > now()
    const entry = running
      ? { count: before.count + 1, endsAt: before.endsAt }
      : { count: 1, endsAt: now() + WRONG_LOGINS_WINDOW_MS }
    wrong.delete(lane)
    wrong.set(lane, entry)
    const [oldest] = wrong.keys()
    if (wrong.size > NETWORKS_MAX && oldest !== undefined) wrong.delete(oldest)
    if (entry.count === WRONG_LOGINS_PER_NETWORK_MAX)
      for (const queue of [logins, ...directories.values()]) queue.refuse(lane, () => flooding(entry.endsAt))
  }

  /**
   * Accounts without a password and unknown usernames take as long as a wrong password, so that timing does not reveal
   * which usernames exist.
   */
  let dummy: Promise<string> | undefined
  /**
   * Reads the stored password and compares it when it is the source's turn, so that a flood puts no more load on the
   * database than the queue allows.
   */
  const check = async (
    source: Source,
    findStored: () => Promise<string | null>,
    password: string,
  ): Promise<boolean> => {
    refuseFlooding(source)
    const placeholder = (dummy ??= hashPassword('no account has this password'))
    const right = await logins.run(source, async () => {
      const stored = await findStored()
      const compared = stored ?? (await placeholder)
      const matches = await atMost(() => verify(compared, password))
      return stored !== null && matches
    })
    if (!right) noteWrong(source)
    return right
  }

  /**
   * The same for a password that a directory checks; `work` returns null if it is wrong. Each directory has its own
   * queue, so that one that hangs delays only its own logins.
   */
  const checkWithDirectory = async <T>(
    directory: string,
    source: Source,
    work: () => Promise<T | null>,
  ): Promise<T | null> => {
    refuseFlooding(source)
    const queue = directories.get(directory) ?? new FairQueue({ workers: DIRECTORY_LOGINS_AT_ONCE, ...room })
    directories.set(directory, queue)
    const found = await queue.run(source, work)
    if (found === null) noteWrong(source)
    return found
  }

  return {
    check,
    checkWithDirectory,
    /** Checks the password of a user who is logged in. */
    matches: (stored: string | null, password: string): Promise<boolean> =>
      check(knownAccount(stored ?? ''), async () => stored, password),
    hash: (password: string, source: Source): Promise<string> =>
      logins.run(source, () => atMost(() => hashPassword(password))),
  }
}

/** Runs a limited number of jobs concurrently, in order. */
function limiter(atOnce: number) {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) await new Promise<void>((go) => waiting.push(go))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
