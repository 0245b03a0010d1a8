import { api } from '@flotilla/contract/api'
import type { Stack, StackInput } from '@flotilla/contract/stacks/entity'
import type * as z from 'zod/mini'
import { testApp } from './app'
import { recordAnswers } from './secrets'
import { stackPlaces, stackUploads, type StackFiles } from '../console/stack'

/** A console without Packer, with users who own stacks and share them. */
export async function openStacks() {
  const server = await testApp({ PACKER_BIN: '/nowhere/packer' })
  const { answers } = recordAnswers(server)
  const admin = await server.person('chief', ['admin'])
  const maria = await server.person('maria', ['instructor', 'user'])
  const grace = await server.person('grace', ['instructor'])

  async function newCredential(provider: 'aws' | 'azure', data: Record<string, string>): Promise<string> {
    const body = { name: `One of ${provider}`, provider, data, collaborators: ['maria', 'grace'] }
    return (await server.must(api.credentials.create, { body }, { token: admin.token })).id
  }

  const credential = await newCredential('aws', { access_key: 'AKIA', secret_key: 's3cret' })

  // Border: tests also send invalid stacks.
  const given = (more: object = {}) =>
    ({
      name: 'Base image',
      provider: 'aws',
      credential_id: credential,
      data: stackPlaces.aws,
      ...more,
    }) as z.input<typeof StackInput>

  const as = { token: maria.token }
  const sent = (more: object = {}, files: StackFiles = {}) => ({
    body: given(more),
    beside: stackUploads(files),
  })
  const made = (...stack: Parameters<typeof sent>): Promise<Stack> =>
    server.must(api.stacks.create, sent(...stack), as)
  const makingRefused = (...stack: Parameters<typeof sent>) =>
    server.refused(api.stacks.create, sent(...stack), as)
  /** The whole stack with its files, as an edit sends them. */
  const edit = (id: string, more: object = {}, files: StackFiles = {}) => ({
    body: { ...given(more), id },
    beside: stackUploads(files),
  })
  const edited = (...stack: Parameters<typeof edit>): Promise<Stack> =>
    server.must(api.stacks.update, edit(...stack), as)
  const editRefused = (...stack: Parameters<typeof edit>) =>
    server.refused(api.stacks.update, edit(...stack), as)
  const view = (id: string, token = maria.token) => server.answer(api.stacks.view, { id }, { token })
  const fileText = (id: string, field: string, name: string, token = maria.token) =>
    server.answer(api.stacks.file, { id, field, name }, { token })
  const people = { admin, maria, grace }
  const stacks = { given, made, makingRefused, edited, editRefused, view, fileText }
  return { server, answers, ...people, credential, newCredential, ...stacks }
}
