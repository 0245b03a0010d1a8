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

// argon2id is the library's default; memory in KiB and passes as OWASP advises.
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
export const hashPassword = (password: string): Promise<string> => hash(password, options)

const room = { perLane: PASSWORDS_WAITING_PER_NETWORK_MAX, total: PASSWORDS_WAITING_MAX }
/** Some read and count in the database while others are checked. */
const LOGINS_AT_ONCE = 4
/** Node has four threads for slow work. Files and new database connections need some of them while many people log in. */
const CHECKS_AT_ONCE = 2
/** A directory takes this many logins at once. */
const DIRECTORY_LOGINS_AT_ONCE = 8
/** Networks whose wrong passwords are counted. Beyond this the oldest is forgotten. */
const NETWORKS_MAX = 10_000

/** Someone who is logged in, or holds a link that was mailed to them. */
export const knownAccount = (account: string): Source => ({ lane: `account ${account}`, known: true })

/** Hashes and checks passwords in fair turns. A network that sends too many wrong ones is refused for a while. */
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

  /** An account without a password, or no account, takes as long as a wrong password, so that timing does not reveal which names exist. */
  let dummy: Promise<string> | undefined
  /** Finds the stored password and compares it when it is the source's turn: a flood does not make the database do more than that. */
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
   * The same for a password that a directory checks; `work` answers null when it is wrong. Each directory has a queue of its own,
   * so that one that hangs delays only its own logins.
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
    /** For someone who is logged in. */
    matches: (stored: string | null, password: string): Promise<boolean> =>
      check(knownAccount(stored ?? ''), async () => stored, password),
    hash: (password: string, source: Source): Promise<string> =>
      logins.run(source, () => atMost(() => hashPassword(password))),
  }
}

/** Runs so many at once, the others in their order. */
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
