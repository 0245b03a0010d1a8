import type { Credential } from '@flotilla/contract/clouds/credentials'
import type { Authentication } from '@flotilla/contract/clouds/providers'
import { expect, it } from 'vitest'
import {
  credentialSchema,
  dataFor,
  dataOf,
  nameOf,
  newDataOf,
  valuesFor,
  withFound,
} from './credential-values'

const field = (id: string, type: 'text' | 'password', required = true): Authentication => ({
  id,
  label: id,
  type,
  icon: 'key',
  required,
})
const fields = [
  field('project_id', 'text'),
  field('access_key', 'text'),
  field('secret_key', 'password'),
  field('session_token', 'password', false),
]
const stored: Credential = {
  id: 'c',
  name: 'Physics',
  description: '',
  provider: 'aws',
  owner: 'ada',
  collaborators: [],
  data: {
    project_id: { set: true, value: 'p', ending: null },
    access_key: { set: true, value: null, ending: 'WXYZ' },
    secret_key: { set: true, value: null, ending: null },
    session_token: { set: true, value: null, ending: null },
  },
  usedBy: 0,
  lastUsedAt: null,
  lastTest: null,
  createdAt: 0,
  updatedAt: 0,
}
const typed = (data: Record<string, string>, removed: Record<string, boolean> = {}) => ({
  ...valuesFor('aws', fields, stored),
  data: { ...valuesFor('aws', fields, stored).data, ...data },
  removed,
})
const errorsOf = (values: unknown, before: Credential | null) =>
  (credentialSchema(fields, before).safeParse(values).error?.issues ?? []).map(({ path }) => path.join('.'))

it('starts with the stored values, without secrets', () => {
  expect(valuesFor('aws', fields, stored).data).toEqual({
    project_id: 'p',
    access_key: '',
    secret_key: '',
    session_token: '',
  })
})

it('sends typed values, null for removed ones, and no empty secrets', () => {
  const values = typed({ secret_key: ' new ' }, { session_token: true })
  expect(dataOf(values, fields)).toEqual({ project_id: 'p', secret_key: ' new ', session_token: null })
  expect(newDataOf(values, fields)).toEqual({ project_id: 'p', secret_key: ' new ' })
})

it('requires every field of a new credential, and only missing fields of a stored one', () => {
  const empty = valuesFor('aws', fields, null)
  expect([...new Set(errorsOf(empty, null))]).toEqual([
    'name',
    'data.project_id',
    'data.access_key',
    'data.secret_key',
  ])
  expect(errorsOf(typed({}), stored)).toEqual([])
  expect(errorsOf(typed({ project_id: '' }), stored)).toEqual(['data.project_id'])
})

it('uses only the provider’s fields of a file', () => {
  expect(dataFor(fields, { secret_key: 's', universe_domain: 'x' })).toEqual({
    project_id: '',
    access_key: '',
    secret_key: 's',
    session_token: '',
  })
})

it('names a credential after its profile or project', () => {
  const found = { provider: 'aws', data: {} } as const
  expect(nameOf({ ...found, label: 'team/dev' })).toBe('AWS team dev')
  expect(nameOf({ ...found, label: 'default' })).toBe('')
  expect(nameOf({ provider: 'gcp', label: null, data: { project_id: 'flow' } })).toBe('GCP flow')
})

it('replaces the values of an earlier file, unless the two files complement each other', () => {
  const file = (data: Record<string, string>) => ({ provider: 'aws' as const, label: 'one', data })
  const first = file({ access_key: 'A', secret_key: 's', session_token: 't' })
  const second = file({ access_key: 'B', secret_key: 'u' })
  const held = { ...first.data, project_id: 'typed' }
  expect(withFound(held, first, second)).toEqual({ access_key: 'B', secret_key: 'u', project_id: 'typed' })
  // A configuration and its key complement each other.
  expect(
    withFound({ project_id: 'p', secret_key: '' }, file({ project_id: 'p' }), file({ secret_key: 'k' })),
  ).toEqual({ project_id: 'p', secret_key: 'k' })
  expect(withFound({ session_token: 'typed' }, null, second)).toEqual({
    ...second.data,
    session_token: 'typed',
  })
})
