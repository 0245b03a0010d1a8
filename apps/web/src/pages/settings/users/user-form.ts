import { Email } from '@flotilla/contract/email'
import { ProviderId } from '@flotilla/contract/site/config'
import { Time } from '@flotilla/contract/lists'
import {
  FirstName,
  LastName,
  NewPassword,
  NewUser,
  Username,
  type User,
} from '@flotilla/contract/people/users'
import * as z from 'zod/mini'
import type { ZodForm } from '../../../forms/use-zod-form'
import { givenRolesOf } from './user-rules'

const shared = {
  firstName: FirstName,
  lastName: LastName,
  email: Email,
  role: NewUser.shape.role,
  endTime: z.nullable(Time),
  /** The site's default list of providers, or a custom one. */
  providersFrom: z.enum(['site', 'own']),
  providers: z.array(ProviderId),
  verified: z.boolean(),
}
const oneProvider = z.refine<z.infer<z.ZodMiniObject<typeof shared>>>(
  ({ providersFrom, providers }) => providersFrom === 'site' || providers.length > 0,
  { error: 'Choose at least one provider', path: ['providers'], when: () => true },
)

export const NewUserFields = z
  .object({ ...shared, username: Username, password: NewPassword })
  .check(oneProvider)
/** A username never changes, and the password has its own dialog. */
export const EditUserFields = z
  .object({ ...shared, username: z.string(), password: z.string() })
  .check(oneProvider)

/** Names and address of a directory follow its own rules, and are not sent. */
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
}

export function fieldsOf(user: User | null): Fields {
  if (!user) return empty
  const { username, firstName, lastName, email, endTime, verified } = user
  const role = givenRolesOf(user.role)
  const providers = user.providers ?? []
  const providersFrom = user.providers === null ? 'site' : 'own'
  return { ...empty, username, firstName, lastName, email, role, endTime, verified, providersFrom, providers }
}

const providersOf = ({ providersFrom, providers }: Fields) => (providersFrom === 'site' ? null : providers)

export function newUserOf(fields: Fields) {
  const { username, password, firstName, lastName, email, role, endTime } = fields
  return { username, password, firstName, lastName, email, role, endTime, providers: providersOf(fields) }
}

export function updateOf({ id, authType }: User, fields: Fields) {
  const { firstName, lastName, email, role, endTime, verified } = fields
  const profile = authType === 'ldap' ? {} : { firstName, lastName, email }
  return { id, ...profile, role, endTime, verified, providers: providersOf(fields) }
}
