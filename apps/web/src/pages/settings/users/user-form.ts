import { Email } from '@flotilla/contract/email'
import { ProviderId } from '@flotilla/contract/site/config'
import { Time } from '@flotilla/contract/lists'
import { FirstName, LastName, NewPassword, Username } from '@flotilla/contract/people/account-fields'
import { NewUser, type User } from '@flotilla/contract/people/users'
import * as z from 'zod/mini'
import type { ZodForm } from '../../../forms/use-zod-form'
import { givenRolesOf } from './user-rules'

const shared = {
  firstName: FirstName,
  lastName: LastName,
  email: Email,
  role: NewUser.shape.role,
  endTime: z.nullable(Time),
  /** Whether the user has the site's default list of providers or their own. */
  providersFrom: z.enum(['site', 'own']),
  providers: z.array(ProviderId),
  verified: z.boolean(),
  /** Empty if it is the same as the username. */
  unixAccount: z.string().check(z.trim()),
}
const oneProvider = z.refine<z.infer<z.ZodMiniObject<typeof shared>>>(
  ({ providersFrom, providers }) => providersFrom === 'site' || providers.length > 0,
  { error: 'Choose at least one provider', path: ['providers'], when: () => true },
)

export const NewUserFields = z
  .object({ ...shared, username: Username, password: NewPassword })
  .check(oneProvider)
/** The fields of an existing user. The username never changes, and the password has its own dialog. */
export const EditUserFields = z
  .object({ ...shared, username: z.string(), password: z.string() })
  .check(oneProvider)

/** The fields of a user from a directory. Names and email are not validated, because they come from the directory. */
export const DirectoryUserFields = z
  .object({
    ...shared,
    firstName: z.string(),
    lastName: z.string(),
    email: z.string(),
    username: z.string(),
    password: z.string(),
  })
  .check(oneProvider)

type Fields = z.infer<typeof NewUserFields>
export type UserForm = ZodForm<Fields, Fields>

const empty: Fields = {
  username: '',
  password: '',
  firstName: '',
  lastName: '',
  email: '',
  role: ['user'],
  endTime: null,
  providersFrom: 'site',
  providers: [],
  verified: true,
  unixAccount: '',
}

export function fieldsOf(user: User | null): Fields {
  if (!user) return empty
  const { username, firstName, lastName, email, endTime, verified } = user
  const role = givenRolesOf(user.role)
  const providers = user.providers ?? []
  const providersFrom = user.providers === null ? 'site' : 'own'
  const unixAccount = user.unixAccount ?? ''
  const given = { username, firstName, lastName, email, role, endTime, verified, unixAccount }
  return { ...empty, ...given, providersFrom, providers }
}

/** The fields that an admin sets, regardless of where the profile comes from. */
const decidedByAdmin = ({ role, endTime, providersFrom, providers, unixAccount }: Fields) => ({
  role,
  endTime,
  providers: providersFrom === 'site' ? null : providers,
  unixAccount: unixAccount || null,
})

export function newUserOf(fields: Fields) {
  const { username, password, firstName, lastName, email } = fields
  return { username, password, firstName, lastName, email, ...decidedByAdmin(fields) }
}

export function updateOf({ id, authType }: User, fields: Fields) {
  const { firstName, lastName, email, verified } = fields
  const profile = authType === 'ldap' ? {} : { firstName, lastName, email }
  return { id, ...profile, verified, ...decidedByAdmin(fields) }
}
