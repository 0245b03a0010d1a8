import type { Role } from '@flotilla/contract/access'
import type { User } from '@flotilla/contract/people/users'
import type { Transaction } from '../../../db/database'
import type { AccessTokens } from '../../access-tokens/access-tokens'
import { notifyPeople } from '../../sharing/sharing'
import { notifyPersonChanged } from '../notify'
import * as store from '../store'

/** A user's attributes in a directory. */
export type DirectoryProfile = { firstName: string; lastName: string; email: string }
type Person = Pick<User, 'id' | 'username'>

type Options = {
  insert(
    tx: Transaction,
    person: DirectoryProfile & {
      username: string
      password: string
      role: Role[]
      verified: boolean
      authType: 'ldap'
    },
    passwordHash: null,
  ): Promise<string>
  endSessions(tx: Transaction, person: Person): Promise<void>
  accessTokens: AccessTokens
}

/** Accounts whose password and profile come from a directory. */
export function makeDirectoryAccounts({ insert, endSessions, accessTokens }: Options) {
  /** An address belongs to one account, so later accounts with the same address have none. */
  const freeEmail = async (tx: Transaction, email: string, exceptId?: string): Promise<string> =>
    email !== '' && (await store.taken(tx, { email, ...(exceptId !== undefined && { exceptId }) }))
      ? ''
      : email

  return {
    insertFromDirectory: async (
      tx: Transaction,
      { username, role, ...profile }: DirectoryProfile & { username: string; role: Role[] },
    ): Promise<string> => {
      const email = await freeEmail(tx, profile.email)
      const person = { ...profile, email, username, role, password: '', verified: true }
      return insert(tx, { ...person, authType: 'ldap' }, null)
    },

    async updateProfile(
      tx: Transaction,
      id: string,
      { firstName, lastName, email }: DirectoryProfile,
    ): Promise<void> {
      await store.update(tx, id, {
        first_name: firstName,
        last_name: lastName,
        email: await freeEmail(tx, email, id),
      })
      await notifyPersonChanged(tx, id)
    },
    /** Requires a transaction that holds the user's lock. */
    async setRoles(tx: Transaction, id: string, role: Role[]): Promise<void> {
      await store.update(tx, id, { role })
      await notifyPersonChanged(tx, id)
    },

    /** Ends the account with all of its sessions and access tokens. */
    async suspend(tx: Transaction, person: Person, at: Date): Promise<void> {
      await endSessions(tx, person)
      await accessTokens.endAll(tx, person.id)
      await store.update(tx, person.id, { end_time: at })
      await notifyPeople(tx, 'users', [person.id])
    },
    setEnd: (tx: Transaction, id: string, endTime: Date | null) =>
      store.update(tx, id, { end_time: endTime }),
  }
}
