import { callerMay, lockPerson } from '../db/callers'
import type { Database, Transaction } from '../db/database'
import { fail } from '../fail'
import type { Authority, SessionCaller, TokenCaller } from './caller'

type Options = { db: Database; now: () => number }
/** Fails with the reason why the caller may not do this anymore. */
type Refuse = () => Promise<never>

export type AuthorityOf = (caller: SessionCaller | TokenCaller | null, refuse: Refuse) => Authority

/**
 * Makes the authority of a request to write. It is checked on writing, as the caller may have lost it since the
 * request began.
 */
export function makeAuthority({ db, now }: Options): AuthorityOf {
  return (caller, refuse) => {
    if (!caller)
      return {
        transaction: (work) => db.transaction(work),
        recheck: async () => {},
        claim: () => fail('no_session'),
      }
    const { id, role } = caller
    const by = 'tokenId' in caller ? { token: caller.tokenId } : { session: caller.sessionId }
    const claim = () => JSON.stringify({ person: id, role, ...by, at: new Date(now()) })

    /** Locks in the order of the ids, so that two users who change each other do not deadlock. */
    const holds = async (tx: Transaction, changing: string): Promise<boolean> => {
      const may = () => callerMay(tx, claim())
      if (changing > id) {
        const allowed = await may()
        await lockPerson(tx, changing)
        return allowed
      }
      await lockPerson(tx, changing)
      return may()
    }

    return {
      claim,
      async recheck() {
        if (!(await callerMay(db.kysely, claim()))) await refuse()
      },
      async transaction(work, { changing } = {}) {
        const done = await db.transaction(async (tx) => {
          const allowed = changing === undefined ? await callerMay(tx, claim()) : await holds(tx, changing)
          return allowed ? { result: await work(tx) } : null
        })
        return done ? done.result : refuse()
      },
    }
  }
}
