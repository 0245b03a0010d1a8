import { LOGIN_PASSWORD_MIN, USERNAME_MIN } from '../limits'
import { firstMessages } from '../first-messages'

/**
 * The checks that the login page makes itself. It uses no schemas, because it is the first page to load; the server
 * checks everything.
 */
export function loginProblems(values: { username: string; password?: string }): Record<string, string> {
  return {
    ...(values.username.trim().length < USERNAME_MIN && { username: firstMessages.minLength4 }),
    ...(values.password !== undefined &&
      values.password.length < LOGIN_PASSWORD_MIN && { password: firstMessages.minLength4 }),
  }
}
