import type { User } from '@flotilla/contract/people/users'

type Person = Pick<User, 'firstName' | 'lastName' | 'username'>

/** 'Ada Lovelace (ada)'; the username alone for someone without a name. */
export const personTitle = ({ firstName, lastName, username }: Person): string =>
  withUsername(`${firstName} ${lastName}`.trim(), username)

export const withUsername = (name: string | undefined, username: string): string =>
  name ? `${name} (${username})` : username
