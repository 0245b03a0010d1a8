import { KNOWN_NETWORK_MS } from '@flotilla/contract/limits'
import type { Database, Transaction } from '../../../db/database'
import { makeKnownNetworks } from './known-networks'
import type { Source } from './fair-queue'
import { knownAccount, type PasswordChecker } from './password'
import * as store from '../store'

/** The account queries that a login needs. */
export function makeLogins(db: Database, passwordChecker: PasswordChecker, now: () => number) {
  const knownNetworks = makeKnownNetworks(db, now)
  return {
    findForLogin: (username: string, tx?: Transaction) => store.findForLogin(tx ?? db.kysely, username),
    /** Users who have logged in from the network recently go before strangers. */
    async sourceOf(username: string, network: string): Promise<Source> {
      const known = await knownNetworks.has(username, network)
      return { lane: known ? `${username} ${network}` : network, known }
    },
    checkPassword: passwordChecker.check,
    checkWithDirectory: passwordChecker.checkWithDirectory,
    /** The same for a user who is logged in. */
    confirmWithDirectory: <T>(
      directory: string,
      userId: string,
      verify: () => Promise<T | null>,
    ): Promise<T | null> => passwordChecker.checkWithDirectory(directory, knownAccount(userId), verify),
    passwordMatches: passwordChecker.matches,
    /**
     * Whether the password that was just verified is still current. Locks the user, so that a change waits for the
     * login.
     */
    hasPassword: (tx: Transaction, id: string, passwordHash: string | null) =>
      store.lockPassword(tx, id, passwordHash),
    async noteLogin(
      tx: Transaction,
      person: { id: string; username: string },
      network: string,
    ): Promise<void> {
      const at = new Date(now())
      await store.update(tx, person.id, { last_login_at: at })
      await store.keepNetwork(tx, { user_id: person.id, network, last_login_at: at })
      knownNetworks.add(person.username, network)
    },
    sweep: () => store.forgetNetworks(db.kysely, new Date(now() - KNOWN_NETWORK_MS)),
  }
}
