import type { ProviderId } from '@flotilla/contract/site/config'
import {
  CredentialData,
  CredentialInput,
  isWriteOnly,
  storedOrEntered,
  missingFields,
  typedValue,
  type Credential,
} from '@flotilla/contract/clouds/credentials'
import type { Authentication } from '@flotilla/contract/clouds/providers'
import * as z from 'zod/mini'
import type { ZodForm } from '../../forms/use-zod-form'
import type { Found } from './parse/found'

/** The form's values. Stored secrets are not included: the server never sends them, and an empty field keeps them. */
export interface CredentialValues {
  name: string
  description: string
  provider: ProviderId
  data: Record<string, string>
  /** Stored values to remove, by field ID. */
  removed: Record<string, boolean>
}
export type CredentialForm = ZodForm<CredentialValues, CredentialValues>

type Fields = readonly Authentication[]

const blank = (fields: Fields) => Object.fromEntries(fields.map(({ id }) => [id, '']))

/** The initial values. Every field has one, so that all inputs are controlled. */
export const valuesFor = (
  provider: ProviderId,
  fields: Fields,
  stored: Credential | null,
): CredentialValues => ({
  name: stored?.name ?? '',
  description: stored?.description ?? '',
  provider,
  data: Object.fromEntries(fields.map(({ id }) => [id, stored?.data[id]?.value ?? ''])),
  removed: {},
})

export const dataFor = (fields: Fields, found: Found['data']): Record<string, string> => ({
  ...blank(fields),
  ...Object.fromEntries(fields.flatMap(({ id }) => (found[id] === undefined ? [] : [[id, found[id]]]))),
})

/** The values to send. An empty secret is omitted, so that the stored one is kept. */
export function dataOf({ data, removed }: CredentialValues, fields: Fields): Record<string, string | null> {
  const sent: Record<string, string | null> = {}
  for (const field of fields) {
    const typed = data[field.id] ?? ''
    if (removed[field.id]) sent[field.id] = null
    else if (typedValue(field, typed) !== undefined || !isWriteOnly(field)) sent[field.id] = typed
  }
  return sent
}

/** The values of a new credential, without nulls, because there is nothing to remove. */
export const newDataOf = (values: CredentialValues, fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(dataOf(values, fields)).flatMap(([id, value]) => (value === null ? [] : [[id, value]])),
  )

/** The contract's rules for the chosen provider's fields. */
export const credentialSchema = (fields: Fields, stored: Credential | null) =>
  z.object({
    name: CredentialInput.shape.name,
    description: z.string().check(z.trim(), z.maxLength(1000, 'Max character length is 1000')),
    provider: CredentialInput.shape.provider,
    removed: z.record(z.string(), z.boolean()),
    data: CredentialData.check(
      z.superRefine((data, context) => {
        const kept = (id: string) => (stored?.data[id]?.set ? 'stored' : undefined)
        const missing = missingFields(fields, (id) =>
          fields.some((field) => field.id === id && storedOrEntered(field, data[id], kept(id)) !== undefined),
        )
        for (const [id, message] of Object.entries(missing))
          context.addIssue({ code: 'custom', message, path: [id], input: undefined })
      }),
    ),
  })

/**
 * The form's values after reading a file. Typed values are kept. Values of an earlier file are kept if the two files
 * complement each other, like a configuration and its key. If both files have the same field, the second is another
 * credential, and the earlier values are dropped.
 */
export function withFound(typed: Found['data'], earlier: Found | null, found: Found): Found['data'] {
  const remaining = isAnother(earlier, found)
    ? Object.entries(typed).filter(([id, value]) => earlier?.data[id] !== value)
    : Object.entries(typed)
  return { ...Object.fromEntries(remaining.filter(([, value]) => value !== '')), ...found.data }
}
export const isAnother = (earlier: Found | null, found: Found): boolean =>
  earlier !== null && Object.keys(found.data).some((id) => id in earlier.data)

/** A name for a credential that was read from a file; empty if the file has none. */
export function nameOf({ provider, label, data }: Found): string {
  const name = label === null || label === 'default' || label === 'DEFAULT' ? data.project_id : label
  return name ? `${provider.toUpperCase()} ${name}`.replace(/[^\p{L}\p{N} ._()-]+/gu, ' ').slice(0, 64) : ''
}
