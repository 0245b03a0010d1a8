import * as z from 'zod/mini'
import { isAdmin, isParticipant } from '../access'
import { Role } from '../role'
import { ProviderId } from '../site/config'
import { Email } from '../email'
import { get, post, put } from '../endpoint'
import { EMAIL_MAX, PAGE_SIZE_MAX, USERNAME_MIN } from '../limits'
import { Done, Id, Page, Removed, Time } from '../lists'
import { messages } from '../messages'
import { FirstName, LastName, NewPassword, Password, UnixAccount, Username } from './account-fields'

/** The role participant is only assigned by the workshop login. */
export const AssignableRole = z.enum(['admin', 'instructor', 'user'])
const Roles = z.array(AssignableRole).check(z.minLength(1, 'Choose at least one role'), z.maxLength(4))

/** One entry of a user's own activity. */
const PersonalActivity = z.object({
  time: Time,
  action: z.string(),
  /** The name of the subject. */
  subject: z.string(),
  detail: z.string(),
})

export const User = z.object({
  id: Id,
  username: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  role: z.array(Role),
  admin: z.boolean(),
  activities: z.array(PersonalActivity),
  verified: z.boolean(),
  participant: z.boolean(),
  participantEmail: z.nullable(z.string()),
  sessionCode: z.nullable(z.string()),
  /** When a timed account ends. */
  endTime: z.nullable(Time),
  /** The providers offered to this user; null means the site's default list. */
  providers: z.nullable(z.array(ProviderId)),
  /** The user's account on attached clusters; null if it has the same name. */
  unixAccount: z.nullable(z.string()),
  authType: z.enum(['local', 'ldap']),
  /** Whether they created their account themselves. */
  registered: z.boolean(),
  /** When a self-registered user was approved for this machine, and by which admin. */
  approvedAt: z.nullable(Time),
  approvedBy: z.nullable(z.string()),
  createdAt: Time,
  lastSeenAt: z.nullable(Time),
})
export type User = z.infer<typeof User>

/** Whether a self-registered user has yet to be approved for this machine; admins need no approval. */
export const isUnapproved = ({
  registered,
  approvedAt,
  role,
}: Pick<User, 'registered' | 'approvedAt' | 'role'>): boolean =>
  registered && approvedAt === null && !isAdmin({ role })

export const NewUser = z.object({
  username: Username,
  firstName: FirstName,
  lastName: LastName,
  email: Email,
  password: NewPassword,
  role: Roles,
  endTime: z.optional(z.nullable(Time)),
  providers: z.optional(z.nullable(z.array(ProviderId))),
  unixAccount: z.optional(z.nullable(UnixAccount)),
})

/** Users change their own names and email address; the other fields are for admins. */
export const UserUpdate = z.object({
  id: Id,
  firstName: z.optional(FirstName),
  lastName: z.optional(LastName),
  email: z.optional(Email),
  role: z.optional(Roles),
  endTime: z.optional(z.nullable(Time)),
  providers: z.optional(z.nullable(z.array(ProviderId))),
  verified: z.optional(z.boolean()),
  unixAccount: z.optional(z.nullable(UnixAccount)),
})

export const PasswordChange = z.object({
  /** The user whose password changes; defaults to the caller. */
  id: z.optional(Id),
  /** Required when callers change their own password. */
  currentPassword: z.optional(Password),
  password: NewPassword,
})

export const OwnedItem = z.object({ kind: z.string(), id: Id, name: z.string() })
export type OwnedItem = z.infer<typeof OwnedItem>

/** Why nothing can be transferred to this user, or null. */
export function newOwnerBlockedReason(
  { endTime, role }: Pick<User, 'endTime' | 'role'>,
  now: number,
): string | null {
  if (endTime !== null && endTime <= now) return 'This account has expired'
  return isParticipant({ role }) ? 'Workshop participants cannot own resources' : null
}

/**
 * What a user has running. Jobs can continue under a new owner; apps and desktops end with the account that they run
 * as.
 */
export const RunningItem = z.object({
  kind: z.enum(['job', 'app', 'desktop']),
  id: Id,
  name: z.string(),
  cluster: z.string(),
})
export type RunningItem = z.infer<typeof RunningItem>

/** `network` is the one from which no one can log in to the account; null means all networks. */
export const Lockout = z.object({
  id: Id,
  username: z.string(),
  network: z.nullable(z.string()),
  until: Time,
})
export type Lockout = z.infer<typeof Lockout>

const ResetToken = z.string().check(z.minLength(1), z.maxLength(200))

export const users = {
  list: get('/api/users/', {
    summary: 'List users, newest first',
    access: 'admin',
    query: z.extend(Page, {
      search: z.optional(z.string().check(z.maxLength(200))),
      /** Only users who can log in and whom no admin has approved yet. */
      unapproved: z.optional(z.enum(['true'])),
    }),
    reply: z.array(User),
  }),
  create: post('/api/users/', {
    summary: 'Create a user',
    access: 'admin',
    tokens: 'never',
    confirm: 'to make someone an admin or set a Unix account',
    body: NewUser,
    reply: User,
    status: 201,
    failure: 'form',
  }),
  update: put('/api/users/', {
    summary: 'Update a user: your own names and email address, or as an admin anyone’s',
    access: 'member',
    tokens: 'never',
    confirm: 'to change an email address or a Unix account, or make someone an admin',
    body: UserUpdate,
    reply: User,
    failure: 'form',
    adminScope: true,
  }),
  changePassword: put('/api/users/changePassword', {
    summary:
      'Change your own password, or as an admin anyone’s. Ends every session and access token of that user',
    access: 'member',
    tokens: 'never',
    confirm: 'to change someone else’s password; your own needs the current one',
    body: PasswordChange,
    reply: Done,
    failure: 'form',
    adminScope: true,
  }),
  approve: put('/api/users/approval', {
    summary: 'Approve self-registered users for this machine, or revoke the approval',
    access: 'admin',
    tokens: 'never',
    body: z.object({
      ids: z.array(Id).check(z.minLength(1, 'Choose at least one user'), z.maxLength(PAGE_SIZE_MAX)),
      approved: z.boolean(),
    }),
    reply: z.array(User),
  }),
  owned: get('/api/users/:id/owned', {
    summary: 'List what a user owns, which needs a new owner before the user is removed',
    access: 'admin',
    reply: z.array(OwnedItem),
  }),
  running: get('/api/users/:id/running', {
    summary: 'List what a user runs, and where their home directory on this machine is',
    access: 'admin',
    reply: z.object({ running: z.array(RunningItem), home: z.nullable(z.string()) }),
  }),
  remove: put('/api/users/remove', {
    summary:
      'Remove a user. `newOwner` takes over what they own. Their running jobs are canceled (`jobs: cancel`) or finish for their new owner (`handOver`, the default); apps and desktops end',
    access: 'admin',
    tokens: 'never',
    body: z.object({
      id: Id,
      newOwner: z.optional(Id),
      jobs: z.optional(z.enum(['cancel', 'handOver'])),
    }),
    reply: Removed,
  }),
  invite: post('/api/users/:id/invitation', {
    summary: 'Create an invitation: a login link whose first use confirms the account',
    access: 'admin',
    tokens: 'never',
    reply: z.object({ userKey: z.string(), link: z.string(), expiresAt: Time }),
    status: 201,
  }),
  logOutEverywhere: post('/api/users/:id/sign-out', {
    summary: 'End every session of a user (silent logout) and revoke their access tokens',
    access: 'admin',
    tokens: 'never',
    reply: Done,
  }),
  lockouts: get('/api/users/lockouts', {
    summary: 'List the users who are locked out after too many wrong passwords',
    access: 'admin',
    reply: z.array(Lockout),
  }),
  liftLockout: post('/api/users/:id/lift-lockout', {
    summary: 'Lift the lockout of a user who entered too many wrong passwords',
    access: 'admin',
    tokens: 'never',
    reply: Done,
  }),
  recoverPassword: post('/api/users/recoverPassword', {
    summary: 'Email a recovery link. The reply does not reveal whether the account exists',
    access: 'everyone',
    body: z.object({
      username: z
        .string()
        .check(
          z.trim(),
          z.toLowerCase(),
          z.minLength(USERNAME_MIN, messages.minLength4),
          z.maxLength(EMAIL_MAX),
        ),
    }),
    reply: Done,
    failure: 'form',
  }),
  verifyResetToken: post('/api/users/verifyResetToken', {
    summary: 'Check whether a recovery token is valid, and whose it is',
    access: 'everyone',
    body: z.object({ token: ResetToken }),
    reply: z.object({ username: z.string() }),
    failure: 'caller',
  }),
  resetPassword: post('/api/users/resetPassword', {
    summary:
      'Set a new password with a recovery token, which works once. Ends every session and access token',
    access: 'everyone',
    body: z.object({ token: ResetToken, password: NewPassword }),
    reply: Done,
    failure: 'form',
  }),
  publicKey: get('/api/users/publicKey', {
    summary: 'Get your public SSH key, generated on first use',
    access: 'member',
    reply: z.object({ publicKey: z.string() }),
  }),
  downloadSshKey: get('/api/users/downloadUserSSHKey', {
    summary: 'Download your private SSH key, generated on first use',
    access: 'member',
    tokens: 'never',
    confirm: true,
    query: z.object({ fromClusterView: z.optional(z.enum(['true', 'false'])) }),
    reply: { file: 'application/x-pem-file' },
  }),
}
