import {
  storedOrEntered,
  missingFields,
  storedField,
  typedValue,
  type Credential,
  type CredentialChoice,
} from '@flotilla/contract/clouds/credentials'
import { fail } from '../../fail'
import type { CredentialData } from '../../providers/fields/credential-data'
import type { ProviderFacts } from '../../providers/provider'
import type { FoundCredential } from './store'

/** What is known about a provider without querying it. */
export type CredentialFacts = Pick<
  ProviderFacts,
  'name' | 'authentications' | 'clusterFields' | 'stackFields'
>

export const asChoice = ({ id, name, provider }: FoundCredential): CredentialChoice => ({
  id,
  name,
  provider,
})

export const asCredential = (
  row: FoundCredential,
  { authentications }: CredentialFacts,
  data: CredentialData,
  usedBy: number,
): Credential => ({
  id: row.id,
  name: row.name,
  description: row.description,
  provider: row.provider,
  owner: row.owner,
  collaborators: row.collaborators.map(({ username }) => username),
  data: Object.fromEntries(authentications.map((field) => [field.id, storedField(field, data[field.id])])),
  usedBy,
  lastUsedAt: row.last_used_at?.getTime() ?? null,
  lastTest: row.last_test,
  createdAt: row.created_at.getTime(),
  updatedAt: row.updated_at.getTime(),
})

/**
 * Merges entered values over the stored ones, or fails with the missing fields. `at` is the path of the data in the
 * input.
 */
export function mergedData(
  { authentications }: CredentialFacts,
  typed: Record<string, string | null>,
  stored: CredentialData,
  at: string,
): CredentialData {
  const data = Object.fromEntries(
    authentications.flatMap((field) => {
      const value = storedOrEntered(field, typed[field.id], stored[field.id])
      return value === undefined ? [] : [[field.id, value]]
    }),
  )
  const missing = Object.entries(missingFields(authentications, (id) => id in data))
  if (missing.length > 0)
    fail('bad_input', {
      fields: Object.fromEntries(missing.map(([id, message]) => [`${at}.${id}`, message])),
    })
  // Otherwise a stored secret could be sent to an arbitrary address.
  const elsewhere = authentications.some(({ id, address }) => address && data[id] !== stored[id])
  const untyped = authentications.filter(
    (field) =>
      elsewhere &&
      field.type === 'password' &&
      field.id in data &&
      typedValue(field, typed[field.id]) === undefined,
  )
  if (untyped.length > 0)
    fail('bad_input', {
      fields: Object.fromEntries(
        untyped.map(({ id }) => [`${at}.${id}`, 'Enter it again because the address changed']),
      ),
    })
  return data
}

/** The ids of the fields that differ. */
export const changedFields = (before: CredentialData, after: CredentialData): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((id) => before[id] !== after[id])
