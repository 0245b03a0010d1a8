import * as z from 'zod/mini'
import { del, get, post, put } from '../endpoint'
import { CODE_DIGITS, EMAIL_MAX, PASSWORD_MAX, USERNAME_MIN } from '../limits'
import { Done, Id, Removed, Time } from '../lists'
import { messages } from '../messages'
import { Email } from '../email'
import { FirstName, LastName, NewPassword, Password, Username } from './account-fields'
import { User } from './users'

/** Entered in any case; directory accounts need not follow our rules for new names. */
const LoginName = z
  .string()
  .check(z.trim(), z.toLowerCase(), z.minLength(USERNAME_MIN, messages.minLength4), z.maxLength(EMAIL_MAX))
const UserKey = z.string().check(z.minLength(1), z.maxLength(200))
const ConfirmedPassword = z
  .string()
  .check(z.minLength(1, 'Enter your password'), z.maxLength(PASSWORD_MAX, 'Incorrect password'))
const Code = z.string().check(z.regex(new RegExp(`^\\d{${CODE_DIGITS}}$`), messages.invalidCode))

export const Login = z.object({
  username: LoginName,
  password: Password,
  userKey: z.optional(UserKey),
})
/** An empty password is rejected: directories treat it as an anonymous login, which always succeeds. */
export const LdapLogin = z.object({
  username: z
    .string()
    .check(z.trim(), z.toLowerCase(), z.minLength(1, 'Enter your username'), z.maxLength(EMAIL_MAX)),
  password: ConfirmedPassword,
  ldapServerId: Id,
})
export const Registration = z.object({
  username: Username,
  firstName: FirstName,
  lastName: LastName,
  email: Email,
  password: NewPassword,
})

export const LoggedIn = z.object({ token: z.string(), user: User })
export type LoggedIn = z.infer<typeof LoggedIn>

export const Session = z.object({
  id: Id,
  /** Whether this call was made with it. */
  current: z.boolean(),
  createdAt: Time,
  lastActiveAt: Time,
  address: z.string(),
  browser: z.string(),
})
export type Session = z.infer<typeof Session>

export const auth = {
  register: post('/api/auth/register', {
    summary:
      'Create an account for yourself. With a Site license you are logged in, with a Multi-User license you receive a code by email, otherwise you log in next',
    access: 'everyone',
    body: Registration,
    /** The token is present only with the license type Site. */
    reply: z.object({ token: z.nullable(z.string()), licenseType: z.string() }),
    status: 201,
    failure: 'caller',
  }),
  login: post('/api/auth/login', {
    summary: 'Log in with a local account',
    access: 'everyone',
    body: Login,
    reply: LoggedIn,
    failure: 'form',
  }),
  ldapLogin: post('/api/auth/ldap/login', {
    summary: 'Log in with an account of an LDAP server. The first login creates the account on this site',
    access: 'everyone',
    body: LdapLogin,
    reply: LoggedIn,
    failure: 'form',
  }),
  logout: post('/api/auth/logout', {
    summary: 'End this session and close its sockets',
    access: 'loggedIn',
    tokens: 'never',
    reply: Done,
    failure: 'caller',
  }),
  refresh: post('/api/auth/refresh', {
    summary: 'Get a new token for a live session. The old token stays valid until it expires',
    access: 'loggedIn',
    tokens: 'never',
    reply: LoggedIn,
    failure: 'caller',
  }),
  confirm: post('/api/auth/confirm', {
    summary:
      'Confirm your password for the next 15 minutes of this session. Logging in with the password counts too',
    access: 'member',
    tokens: 'never',
    body: z.object({ password: ConfirmedPassword }),
    reply: z.object({ confirmedUntil: Time }),
    failure: 'form',
  }),
  update: put('/api/auth/update', {
    summary:
      'Change your own names and email address. Log in again to see the changes. With a Multi-User license, a new address must first be confirmed with an emailed code',
    access: 'member',
    tokens: 'never',
    confirm: 'to change your own email address',
    wrapper: 'user',
    body: z.object({
      firstName: z.optional(FirstName),
      lastName: z.optional(LastName),
      email: z.optional(Email),
    }),
    reply: User,
    failure: 'form',
  }),
  verify: post('/api/auth/verify', {
    summary: 'Confirm the email address of a new account with the emailed code',
    access: 'everyone',
    body: z.object({ username: LoginName, code: Code }),
    reply: z.object({ verified: z.boolean() }),
    failure: 'caller',
  }),
  resendCode: post('/api/auth/verify/resend', {
    summary: 'Email a new code to a new account. The reply does not reveal whether the account exists',
    access: 'everyone',
    body: z.object({ username: LoginName }),
    reply: Done,
    failure: 'caller',
  }),
  invitation: post('/api/auth/invitation', {
    summary: 'Get the name of the person an invitation is for',
    access: 'everyone',
    body: z.object({ userKey: UserKey }),
    reply: z.object({ username: z.string(), firstName: z.string() }),
    failure: 'caller',
  }),
  sessions: get('/api/auth/sessions', {
    summary: 'List your live sessions',
    access: 'member',
    tokens: 'never',
    reply: z.array(Session),
  }),
  endSession: del('/api/auth/sessions/:id', {
    summary: 'End one of your sessions',
    access: 'member',
    tokens: 'never',
    reply: Removed,
  }),
  endOtherSessions: post('/api/auth/sessions/end-others', {
    summary: 'End all of your other sessions',
    access: 'member',
    tokens: 'never',
    reply: z.object({ ended: z.number() }),
  }),
}
