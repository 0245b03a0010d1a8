import { KNOWN_NETWORK_MS } from '@flotilla/contract/limits'
import type { Database, Transaction } from '../../../db/database'
import { makeKnownNetworks } from './known-networks'
import type { Source } from './fair-queue'
import { knownAccount, type PasswordChecker } from './password'
import * as store from '../store'

/** What a login needs of an account. */
export function makeLogins(db: Database, passwordChecker: PasswordChecker, now: () => number) {
  const knownNetworks = makeKnownNetworks(db, now)
  return {
    findForLogin: (username: string, tx?: Transaction) => store.findForLogin(tx ?? db.kysely, username),
    /** Whose turn it is: someone who has logged in from the network lately goes ahead of the strangers in it. */
    async sourceOf(username: string, network: string): Promise<Source> {
      const known = await knownNetworks.has(username, network)
      return { lane: known ? `${username} ${network}` : network, known }
    },
    checkPassword: passwordChecker.check,
    checkWithDirectory: passwordChecker.checkWithDirectory,
    /** The same for someone who is logged in. */
    confirmWithDirectory: <T>(
      directory: string,
      userId: string,
      verify: () => Promise<T | null>,
    ): Promise<T | null> => passwordChecker.checkWithDirectory(directory, knownAccount(userId), verify),
    passwordMatches: passwordChecker.matches,
    /** Whether the password that was right a moment ago is still this person's; holds off a change until the login is done. */
    stillHas: (tx: Transaction, id: string, passwordHash: string | null) =>
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
