import * as z from 'zod/mini'
import { ProviderId } from '../site/config'
import { del, get, post, put } from '../endpoint'
import { Id, Page, Removed, Time } from '../lists'
import { ACCOUNT_SEARCH_MAX, AccountChoices } from './account-choices'
import type { Authentication } from './providers'

/** The maximum length of a value: the longest is a private key. */
const CREDENTIAL_VALUE_MAX = 20_000
const FIELDS_MAX = 40

const text = (max: number) => z.string().check(z.trim(), z.maxLength(max, `Max character length is ${max}`))
const Name = text(64).check(
  z.minLength(2, 'Min character length is 2'),
  z.regex(/^[\p{L}\p{N}][\p{L}\p{N} ._()-]*$/u, 'Use letters, numbers, spaces and . _ - ( )'),
)
const Value = z.string().check(z.maxLength(CREDENTIAL_VALUE_MAX, 'Too long'))
const values = <V extends z.ZodMiniType<string | null>>(value: V) =>
  z
    .record(z.string().check(z.maxLength(64)), value)
    .check(z.refine((data) => Object.keys(data).length <= FIELDS_MAX, 'Too many fields'))
const Usernames = z
  .array(z.string().check(z.trim(), z.toLowerCase(), z.maxLength(64)))
  .check(z.maxLength(500))

/** It becomes part of a request URL. */
const RegionName = z.string().check(z.maxLength(64), z.regex(/^[A-Za-z0-9-]*$/, 'Not a valid region'))

/** Values by the ids of the provider's authentications; unknown ids are ignored. */
export const CredentialData = values(Value)
export const CredentialInput = z.object({
  name: Name,
  description: z._default(text(1000), ''),
  provider: ProviderId,
  collaborators: z._default(Usernames, []),
  data: CredentialData,
})
/** Omitted values and empty secrets stay unchanged. Null removes an optional value. */
export const CredentialUpdate = z.object({
  id: Id,
  name: z.optional(Name),
  description: z.optional(text(1000)),
  /** The provider cannot change; a different one is rejected. */
  provider: z.optional(ProviderId),
  data: z._default(values(z.nullable(Value)), {}),
})

/** What browsers receive of a stored field: never a secret. */
export const StoredField = z.object({
  set: z.boolean(),
  /** Only for fields that are not secret. */
  value: z.nullable(z.string()),
  /** The last characters of a key's id: enough to tell keys apart. */
  ending: z.nullable(z.string()),
})
export type StoredField = z.infer<typeof StoredField>

/** The result of a credential test. */
export const CredentialTest = z.object({
  /** `rights`: it works, but lacks permissions. `clock`: it was rejected because the clocks differ. */
  outcome: z.enum(['ok', 'rights', 'refused', 'clock', 'failed']),
  message: z.string(),
  /** The identity that the cloud reports. */
  account: z.nullable(z.string()),
  checked: z.array(z.string()),
  missing: z.array(z.string()),
  region: z.string(),
  /** Whether it was tested against the simulated cloud. */
  simulated: z.boolean(),
  at: Time,
})
export type CredentialTest = z.infer<typeof CredentialTest>

/** A credential as admins see it. */
export const Credential = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  provider: ProviderId,
  owner: z.string(),
  collaborators: z.array(z.string()),
  data: z.record(z.string(), StoredField),
  /** How many resources use it. */
  usedBy: z.number(),
  lastUsedAt: z.nullable(Time),
  /** Null if its values have changed since the last test. */
  lastTest: z.nullable(CredentialTest),
  createdAt: Time,
  updatedAt: Time,
})
export type Credential = z.infer<typeof Credential>

/** What users see of a credential that is shared with them. */
export const CredentialChoice = z.object({ id: Id, name: z.string(), provider: ProviderId })
export type CredentialChoice = z.infer<typeof CredentialChoice>

export const CredentialUse = z.object({ kind: z.string(), id: Id, name: z.string() })
export type CredentialUse = z.infer<typeof CredentialUse>

/** Keys and their ids: the ids are not secret, but no one needs to read them in full. */
const namesKey = /(^|_)(key|secret|token|password)(_id|_file)?$/

/** Whether a field's value is never returned; if left empty, the stored value is kept. */
export const isWriteOnly = ({ id, type }: Pick<Authentication, 'id' | 'type'>): boolean =>
  type === 'password' || namesKey.test(id)

const ENDING = 4
export function storedField(
  field: Pick<Authentication, 'id' | 'type'>,
  value: string | undefined,
): StoredField {
  if (!value) return { set: false, value: null, ending: null }
  if (!isWriteOnly(field)) return { set: true, value, ending: null }
  // The last characters of a short value would reveal too much of it.
  const ending = field.type === 'text' && value.length >= 4 * ENDING ? value.slice(-ENDING) : null
  return { set: true, value: null, ending }
}

/** The value to store for the entered text, or undefined if it is blank. */
export function typedValue(
  { multiline }: Pick<Authentication, 'multiline'>,
  typed: string | null | undefined,
): string | undefined {
  const value = (multiline ? typed?.replace(/\r\n?/g, '\n') : typed)?.trim()
  return value === '' ? undefined : value
}

/** A field's value after a change: the entered value or, if there is none, the stored one. */
export function storedOrEntered(
  field: Pick<Authentication, 'id' | 'type' | 'multiline'>,
  typed: string | null | undefined,
  stored: string | undefined,
): string | undefined {
  if (typed === undefined) return stored
  return typedValue(field, typed) ?? (typed !== null && isWriteOnly(field) ? stored : undefined)
}

/** The missing required fields, each with its message. Formats are left to the cloud to check. */
export const missingFields = (
  fields: readonly Pick<Authentication, 'id' | 'label' | 'required'>[],
  has: (id: string) => boolean,
): Record<string, string> =>
  Object.fromEntries(
    fields
      .filter(({ id, required }) => required && !has(id))
      .map(({ id, label }) => [id, `${label} is missing`]),
  )

export const credentials = {
  list: get('/api/credentials/', {
    summary:
      'List credentials, newest first. Non-admins get the id, name and provider of those shared with them',
    access: 'member',
    query: Page,
    reply: z.array(z.union([Credential, CredentialChoice])),
  }),
  create: post('/api/credentials/', {
    summary: 'Create a credential. Its secrets are never returned',
    access: 'admin',
    wrapper: 'credentials',
    body: CredentialInput,
    reply: Credential,
    status: 201,
    failure: 'form',
    adminScope: true,
  }),
  update: post('/api/credentials/set', {
    summary: 'Update a credential. An empty secret keeps the stored one',
    access: 'admin',
    wrapper: 'credentials',
    body: CredentialUpdate,
    reply: Credential,
    failure: 'form',
    adminScope: true,
  }),
  collaborators: put('/api/credentials/collaborators', {
    summary: 'Set who else can use a credential',
    access: 'admin',
    body: z.object({ id: Id, collaborators: Usernames }),
    reply: z.object({ credential: Credential }),
    failure: 'form',
    adminScope: true,
  }),
  remove: del('/api/credentials/:id', {
    summary: 'Delete a credential that is not in use',
    access: 'admin',
    reply: Removed,
    adminScope: true,
  }),
  test: post('/api/credentials/test', {
    summary:
      'Ask the cloud which identity a credential has and which permissions it lacks. Pass `id` for a stored credential, `provider` and `data` for a new one, or all of them for a change to a stored one',
    access: 'admin',
    body: z.object({
      id: z.optional(Id),
      provider: z.optional(ProviderId),
      data: z.optional(values(z.nullable(Value))),
      /** The region to test; defaults to that of the last test, or the provider's first region. */
      region: z.optional(RegionName),
    }),
    reply: CredentialTest,
    failure: 'caller',
    adminScope: true,
  }),
  choices: get('/api/credentials/:id/choices', {
    summary: 'List what the account has for a field, such as its subnets',
    access: 'member',
    query: z.object({
      /** The path of a cluster or stack field whose value is chosen from the account. */
      field: z.string().check(z.maxLength(64)),
      region: RegionName,
      search: z._default(z.string().check(z.maxLength(ACCOUNT_SEARCH_MAX)), ''),
    }),
    reply: AccountChoices,
  }),
  uses: get('/api/credentials/:id/uses', {
    summary: 'List what uses a credential and keeps it from being deleted',
    access: 'admin',
    reply: z.array(CredentialUse),
  }),
}
