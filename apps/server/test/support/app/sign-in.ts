import { api } from '@flotilla/contract/api'
import { PASSWORD, type Answer, type TestApp } from './app'

export const OTHER_PASSWORD = 'An0ther$Password'

let made = 0
/** A name that no one of this file has yet. */
export const newName = () => `person${++made}`

export const registration = (username: string, more = {}) => ({
  username,
  firstName: 'Grace',
  lastName: 'Hopper',
  email: `${username}@example.org`,
  password: PASSWORD,
  ...more,
})

export const tokenOf = ({ json }: Answer) => (json as { token: string }).token

export const payloadOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** Signing in to a server that is started later. */
export const signIn = (server: () => TestApp) => {
  const post = (url: string, body: unknown, as?: string) => server().call('POST', url, { body, as })
  return {
    post,
    login: (username: string, password = PASSWORD, more = {}) =>
      post(api.auth.login.path, { username, password, ...more }),
    /** The status of a call that everyone who is logged in may make. */
    works: async (token: string) => (await server().call('GET', api.ui.settings.path, { as: token })).status,
  }
}
