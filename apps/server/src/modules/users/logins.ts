import { KNOWN_NETWORK_MS } from '@flotilla/contract/limits'
import type { Database, Transaction } from '../../db/database'
import type { PasswordChecker } from './password'
import * as store from './store'

/** What a login needs of an account. */
export const makeLogins = (db: Database, passwordChecker: PasswordChecker, now: () => number) => ({
  findForLogin: (username: string) => store.findForLogin(db.kysely, username),
  /** With whether this account has logged in from the network lately. Networks take turns at it. */
  findForLoginFrom: (network: string, username: string) =>
    passwordChecker.lookUp(network, () => store.findForLogin(db.kysely, username, network)),
  /** Strangers name their source; without one it is someone who is logged in. */
  passwordMatches: passwordChecker.matches,
  /**
   * The person, if this is their password. Who has none of ours, such as an account of a directory, never matches here: this is
   * the place to ask the directory instead.
   */
  async checkPassword(username: string, password: string) {
    const person = await store.findForLogin(db.kysely, username)
    const right = await passwordChecker.matches(person?.password_hash ?? null, password)
    return right ? person : undefined
  },
  /** Whether the password that was right a moment ago is still this person's; holds off a change until the login is done. */
  stillHas: (tx: Transaction, id: string, passwordHash: string | null) =>
    store.lockPassword(tx, id, passwordHash),
  async noteLogin(tx: Transaction, id: string, network: string): Promise<void> {
    const at = new Date(now())
    await store.update(tx, id, { last_login_at: at })
    await store.keepNetwork(tx, { user_id: id, network, last_login_at: at })
  },
  sweep: () => store.forgetNetworks(db.kysely, new Date(now() - KNOWN_NETWORK_MS)),
})
