/** 'Ada Lovelace (ada)'; the username alone if the name is unknown. */
export const withUsername = (name: string | undefined, username: string): string =>
  name ? `${name} (${username})` : username

export const personTitle = (user: { firstName: string; lastName: string; username: string }): string =>
  withUsername(`${user.firstName} ${user.lastName}`.trim(), user.username)
