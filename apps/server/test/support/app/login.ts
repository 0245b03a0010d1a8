import { api } from '@flotilla/contract/api'
import { PASSWORD, type Answer, type TestApp } from './app'

export const OTHER_PASSWORD = 'An0ther$Password'

let made = 0
/** A username that no other account of the test file has. */
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

/** Calls to register and log in; `server` is a function because the server is started later. */
export const loginCalls = (server: () => TestApp) => ({
  register: (body: ReturnType<typeof registration>) => server().answer(api.auth.register, { body }),
  login: (username: string, password = PASSWORD, more = {}) =>
    server().answer(api.auth.login, { body: { username, password, ...more } }),
  /** The status of a call that every logged-in user may make. */
  works: async (token: string) => (await server().answer(api.ui.settings, {}, { token })).status,
})
