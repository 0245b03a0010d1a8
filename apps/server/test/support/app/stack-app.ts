import { expect } from 'vitest'
import { Stack } from '@flotilla/contract/stacks/entity'
import { testApp } from './app'
import { recordAnswers } from './secrets'
import { stackForm, stackPlaces } from '../console/stack'

/** A console without Packer, and people who have stacks and share them. */
export async function openStacks() {
  const server = await testApp({ PACKER_BIN: '/nowhere/packer' })
  const { answers } = recordAnswers(server)
  const admin = await server.person('chief', ['admin'])
  const maria = await server.person('maria', ['instructor', 'user'])
  const grace = await server.person('grace', ['instructor'])

  async function newCredential(provider: string, data: object): Promise<string> {
    const body = {
      credentials: { name: `One of ${provider}`, provider, data, collaborators: ['maria', 'grace'] },
    }
    const { json } = await server.call('POST', '/api/credentials/', { as: admin.token, body })
    return (json as { id: string }).id
  }

  const credential = await newCredential('aws', { access_key: 'AKIA', secret_key: 's3cret' })

  const given = (more: object = {}) => ({
    name: 'Base image',
    provider: 'aws',
    credential_id: credential,
    data: stackPlaces.aws,
    ...more,
  })

  async function send(method: 'POST' | 'PUT', form: FormData, as = maria.token, headers = {}) {
    const request = new Response(form)
    const answer = await server.app.http.inject({
      method,
      url: '/api/stacks/',
      headers: {
        authorization: `Bearer ${as}`,
        'content-type': request.headers.get('content-type') ?? '',
        ...headers,
      },
      payload: Buffer.from(await request.arrayBuffer()),
    })
    return { status: answer.statusCode, json: JSON.parse(answer.body) as Record<string, unknown> }
  }
  async function made(more: object = {}, files: Parameters<typeof stackForm>[1] = {}): Promise<Stack> {
    const { status, json } = await send('POST', stackForm(given(more), files))
    expect(status, JSON.stringify(json)).toBe(201)
    return Stack.parse(json)
  }
  const view = async (id: string, as = maria.token) => server.call('GET', `/api/stacks/${id}`, { as })
  const fileText = async (id: string, field: string, name: string, as = maria.token) =>
    server.call('GET', `/api/stacks/files/${id}/${field}/${encodeURIComponent(name)}`, { as })
  const people = { admin, maria, grace }
  return { server, answers, ...people, credential, newCredential, given, send, made, view, fileText }
}
