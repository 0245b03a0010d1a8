import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STACK_PREFIX, STACK_UPLOAD_MAX_BYTES } from '@flotilla/contract/limits'
import { Stack } from '@flotilla/contract/stacks/entity'
import { testApp, type TestApp } from '../../../test/support/app'
import { recordAnswers } from '../../../test/support/secrets'
import { stackForm, stackPlaces } from '../../../test/support/stack'

type Person = { id: string; token: string; username: string }
const KEY = 'a-key-that-nobody-is-to-see-again'
const SCOPE = { admin: 'true' }

let server: TestApp
let answers: { text: string }[]
let admin: Person
let maria: Person
let grace: Person
let ada: Person
let credential: string
beforeAll(async () => {
  server = await testApp({ PACKER_BIN: '/nowhere/packer' })
  answers = recordAnswers(server).answers
  admin = await server.person('chief', ['admin'])
  maria = await server.person('maria', ['instructor', 'user'])
  grace = await server.person('grace', ['instructor'])
  ada = await server.person('adalove', ['user'])
  credential = await newCredential('aws', { access_key: 'AKIA', secret_key: 's3cret' })
})
afterAll(() => server.close())

async function newCredential(provider: string, data: object): Promise<string> {
  const body = {
    credentials: { name: `One of ${provider}`, provider, data, collaborators: ['maria', 'grace'] },
  }
  const { json } = await server.call('POST', '/api/credentials/', { as: admin.token, body })
  return (json as { id: string }).id
}

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
const listed = async (as: string) =>
  ((await server.call('GET', '/api/stacks/', { as })).json as Stack[]).map(({ id }) => id)
const fileText = async (id: string, field: string, name: string, as = maria.token) =>
  server.call('GET', `/api/stacks/files/${id}/${field}/${encodeURIComponent(name)}`, { as })

describe('a stack', () => {
  it('has the defaults of the specification and keeps every field', async () => {
    const stack = await made({ description: '${file("/etc/passwd")} {{env `HOME`}}', builder: 'market' })
    expect(stack).toMatchObject({
      name: 'Base image',
      description: '${file("/etc/passwd")} {{env `HOME`}}',
      builder: 'market',
      owner: 'maria',
      mine: true,
      state: 'none',
      images: [],
      edited: false,
      usedBy: 0,
      data: { manager: 'torque', prefix: STACK_PREFIX, region_id: 'us-east-1' },
      rhel: { activation_key: '', activationKeySet: false, organization_id: '' },
      provision: { nodeProvisioner: null, serverProvisioner: null, dataFiles: [], dataFilesB: [] },
    })
    expect((await view(stack.id)).json).toEqual(stack)
  })

  it('takes files with their names and bytes, and gives them back to its owner', async () => {
    const bytes = new Uint8Array([0, 255, 10, 13, 10, 200])
    const stack = await made(
      {},
      {
        nodeProvisioner: [['setup.sh', '#!/bin/sh\necho "Grüße"\n']],
        dataFiles: [
          ['raw.bin', bytes],
          ['second one.txt', 'two'],
        ],
        dataFilesB: [['license.dat', 'three']],
      },
    )
    expect(stack.provision).toEqual({
      nodeProvisioner: { name: 'setup.sh', size: 25 },
      serverProvisioner: null,
      dataFiles: [
        { name: 'raw.bin', size: 6 },
        { name: 'second one.txt', size: 3 },
      ],
      dataFilesB: [{ name: 'license.dat', size: 5 }],
    })
    const answer = await server.app.http.inject({
      method: 'GET',
      url: `/api/stacks/files/${stack.id}/dataFiles/raw.bin`,
      headers: { authorization: `Bearer ${maria.token}` },
    })
    expect(new Uint8Array(answer.rawPayload)).toEqual(bytes)
    expect((await fileText(stack.id, 'nodeProvisioner', 'setup.sh')).text).toContain('Grüße')
  })

  it('loses the files that an edit does not name, and keeps the others', async () => {
    const { id } = await made(
      {},
      {
        nodeProvisioner: [['node.sh', 'one']],
        serverProvisioner: [['server.sh', 'two']],
        dataFiles: [
          ['a', '1'],
          ['b', '2'],
        ],
      },
    )
    const unchanged = await send('PUT', stackForm({ ...given(), id }))
    expect(unchanged.json.provision).toMatchObject({ dataFiles: [{ name: 'a' }, { name: 'b' }] })
    const provision = { nodeProvisioner: { name: 'node.sh' }, dataFiles: [{ name: 'b' }] }
    const changed = await send(
      'PUT',
      stackForm(
        { ...given({ provision }), id },
        { dataFiles: [['c', '3']], nodeProvisioner: [['n.sh', 'x']] },
      ),
    )
    expect(changed.json.provision).toEqual({
      nodeProvisioner: { name: 'n.sh', size: 1 },
      serverProvisioner: null,
      dataFiles: [
        { name: 'b', size: 1 },
        { name: 'c', size: 1 },
      ],
      dataFilesB: [],
    })
  })

  it('refuses a second file of the same name at its field', async () => {
    const twice: [string, string][] = [
      ['a', '1'],
      ['a', '2'],
    ]
    const fields = { dataFiles: 'Duplicate file name: a' }
    expect(await send('POST', stackForm(given(), { dataFiles: twice }))).toMatchObject({
      status: 400,
      json: { fields },
    })
    const { id } = await made({}, { dataFiles: [['a', '1']] })
    const again = { ...given({ provision: { dataFiles: [{ name: 'a' }] } }), id }
    expect(await send('PUT', stackForm(again, { dataFiles: [['a', '2']] }))).toMatchObject({
      status: 400,
      json: { fields },
    })
  })

  it('takes plain JSON with the script as text, too', async () => {
    const body = { stack: given(), nodeProvisioner: 'echo hello\n' }
    const { status, json } = await server.call('POST', '/api/stacks/', { as: maria.token, body })
    expect(status).toBe(201)
    expect(Stack.parse(json).provision.nodeProvisioner).toEqual({ name: 'node-provisioner.sh', size: 11 })
  })

  it.each([
    ['../../etc/cron.d/x', 201],
    ['.bashrc', 400],
    ['-rf', 400],
  ])('named %s is a name and no path', async (name, status) => {
    const answer = await send('POST', stackForm(given(), { dataFiles: [[name, 'x']] }))
    expect(answer.status).toBe(status)
    if (status === 201) expect(JSON.stringify(answer.json.provision)).toContain('"name":"x"')
  })

  it('refuses scripts that no shell understands, and more than there is room for', async () => {
    const windows = await send('POST', stackForm(given(), { nodeProvisioner: [['a.sh', 'echo\r\n']] }))
    expect(windows).toMatchObject({
      status: 400,
      json: { fields: { nodeProvisioner: expect.stringMatching(/Windows/) } },
    })
    const large = new Uint8Array(STACK_UPLOAD_MAX_BYTES + 1)
    expect((await send('POST', stackForm(given(), { dataFiles: [['large', large]] }))).status).toBe(413)
  })

  it('hides its Red Hat key, and keeps it until the organization goes', async () => {
    const rhel = { activation_key: KEY, organization_id: '12345' }
    const { id, rhel: shown } = await made({ rhel })
    expect(shown).toEqual({ activation_key: '', activationKeySet: true, organization_id: '12345' })
    const again = await send('PUT', stackForm({ ...given({ rhel: { organization_id: '12345' } }), id }))
    expect(again.json.rhel).toMatchObject({ activationKeySet: true })
    const gone = await send('PUT', stackForm({ ...given(), id }))
    expect(gone.json.rhel).toMatchObject({ activationKeySet: false })
    expect(answers.some(({ text }) => text.includes(KEY))).toBe(false)
    expect(server.log()).not.toContain(KEY)
  })

  it('says what is wrong with each field', async () => {
    const refused = await send(
      'POST',
      stackForm(
        given({
          credential_id: await newCredential('azure', {
            client_id: 'a',
            client_secret: 'b',
            subscription_id: 'c',
            tenant_id: 'd',
          }),
        }),
      ),
    )
    expect(refused.json).toMatchObject({
      fields: { 'stack.credential_id': expect.stringMatching(/another provider/) },
    })
    const fields = {
      ...stackPlaces.aws,
      ocpus: 4,
      zone_id: '{{timestamp}}',
      source_os_type: 'beos-5',
      instance_id: 'nosuch.size',
    }
    const rhel = { organization_id: '{{env `HOME`}}', activation_key: '{{user `x`}}' }
    expect((await send('POST', stackForm(given({ data: fields, rhel })))).json).toMatchObject({
      fields: {
        'stack.data.ocpus': expect.stringMatching(/flexible shapes/),
        'stack.data.instance_id': expect.stringMatching(/No size nosuch\.size/),
        'stack.data.zone_id': expect.stringMatching(/two opening braces/),
        'stack.data.source_os_type': expect.stringMatching(/Unknown operating system/),
        'stack.rhel.organization_id': expect.stringMatching(/two opening braces/),
        'stack.rhel.activation_key': expect.stringMatching(/two opening braces/),
      },
    })
    const elsewhere = { ...stackPlaces.aws, region_id: 'x.evil.com/#' }
    expect((await send('POST', stackForm(given({ data: elsewhere })))).json).toMatchObject({
      fields: { 'stack.data.region_id': 'Enter a region such as eu-west-1' },
    })
    const template: [string, string][] = [['{{env `HOME`}}', 'x']]
    expect(await send('POST', stackForm(given(), { dataFiles: template }))).toMatchObject({
      status: 400,
      json: { fields: expect.anything() },
    })
    const beyond = given({ provider: 'oracle', data: { ...stackPlaces.oracle, ocpus: 81 } })
    expect((await send('POST', stackForm(beyond))).json).toMatchObject({
      fields: { 'stack.data.ocpus': 'At most 80 OCPUs' },
    })
  })
})

describe('who may what', () => {
  it('sees and uses what is shared, and changes only what is theirs', async () => {
    const { id } = await made({ collaborators: ['grace'] })
    expect(await listed(grace.token)).toContain(id)
    expect(await listed(ada.token)).not.toContain(id)
    expect((await view(id, ada.token)).status).toBe(404)
    expect((await view(id, grace.token)).json).toMatchObject({ mine: false })
    const body = { id, collaborators: ['adalove'] }
    const share = (as: string, headers = {}) =>
      server.call('PUT', '/api/stacks/collaborators', { as, body, headers })
    expect((await share(grace.token)).status).toBe(403)
    expect((await share(admin.token)).json).toMatchObject({ code: 'admin_scope_needed' })
    expect((await share(admin.token, SCOPE)).json).toMatchObject({ stack: { collaborators: ['adalove'] } })
    // A user may start clusters from it, and nothing else.
    expect((await view(id, ada.token)).status).toBe(200)
    expect((await server.call('POST', '/api/stacks/build', { as: ada.token, body: { id } })).status).toBe(403)
    expect((await view(id, grace.token)).status).toBe(404)
  })

  it('lets no one else read the scripts', async () => {
    const { id } = await made({ collaborators: ['grace'] }, { nodeProvisioner: [['a.sh', 'secret']] })
    expect((await fileText(id, 'nodeProvisioner', 'a.sh', grace.token)).status).toBe(403)
    expect((await fileText(id, 'nodeProvisioner', 'a.sh', admin.token)).status).toBe(200)
    expect((await fileText(id, 'nodeProvisioner', 'b.sh')).status).toBe(404)
  })

  it('goes with its owner to someone else', async () => {
    const leaving = await server.person('leaving', ['instructor'])
    const { id } = Stack.parse(
      (
        await server.call('POST', '/api/stacks/', {
          as: admin.token,
          body: { stack: given() },
        })
      ).json,
    )
    await server.db.kysely.updateTable('stacks').set({ owner_id: leaving.id }).where('id', '=', id).execute()
    const remove = (more: object) =>
      server.call('PUT', '/api/users/remove', { as: admin.token, body: { id: leaving.id, ...more } })
    expect((await remove({})).json).toMatchObject({ code: 'owner_needed' })
    expect((await remove({ newOwner: maria.id })).status).toBe(200)
    expect((await view(id)).json).toMatchObject({ owner: 'maria' })
  })
})

describe('deleting', () => {
  it('wants the right provider, if one is named', async () => {
    const { id } = await made()
    const remove = (provider: string) =>
      server.call('DELETE', `/api/stacks/${id}?provider=${provider}`, { as: maria.token })
    expect((await remove('gcp')).status).toBe(400)
    expect((await remove('aws')).json).toEqual({ id })
    expect((await view(id)).status).toBe(404)
  })

  it('keeps a credential that a stack is built with', async () => {
    await made({ name: 'Keeper' })
    const { status, json } = await server.call('DELETE', `/api/credentials/${credential}`, {
      as: admin.token,
    })
    expect(status).toBe(409)
    expect(json).toMatchObject({ code: 'in_use' })
    expect((json as { uses: object[] }).uses).toContainEqual(
      expect.objectContaining({ kind: 'stack', name: 'Keeper' }),
    )
  })
})

describe('building', () => {
  it('says what is missing before anything begins', async () => {
    const { id } = await made({ data: { source_os_type: 'debian-12' } })
    const { status, json } = await server.call('POST', '/api/stacks/build', {
      as: maria.token,
      body: { id },
    })
    expect(status).toBe(400)
    expect(json).toMatchObject({
      fields: { 'stack.data.region_id': 'Region is missing', 'stack.data.instance_id': 'Size is missing' },
    })
  })

  it('saves what comes with it first', async () => {
    const { id } = await made({ data: { source_os_type: 'debian-12' } })
    const body = { id, stack: given({ name: 'Renamed', data: { ...stackPlaces.aws, manager: 'slurm' } }) }
    await server.call('POST', '/api/stacks/build', { as: maria.token, body })
    expect((await view(id)).json).toMatchObject({ name: 'Renamed', data: { region_id: 'us-east-1' } })
  })

  it('is refused to an owner who can no longer use the credential', async () => {
    const { id } = await made({ data: { ...stackPlaces.aws, manager: 'slurm' } })
    const share = (collaborators: string[]) =>
      server.call('PUT', '/api/credentials/collaborators', {
        as: admin.token,
        body: { id: credential, collaborators },
      })
    await share(['grace'])
    const answer = await server.call('POST', '/api/stacks/build', { as: maria.token, body: { id } })
    await share(['maria', 'grace'])
    const message = expect.stringContaining('maria can no longer use the credential One of aws')
    expect(answer).toMatchObject({ status: 403, json: { message } })
  })

  it('says how to get Packer where there is none', async () => {
    const { id } = await made({ data: { ...stackPlaces.aws, manager: 'slurm' } })
    const { status, json } = await server.call('POST', '/api/stacks/build', {
      as: maria.token,
      body: { id },
    })
    expect(status).toBe(503)
    expect(json).toMatchObject({
      code: 'engine_unavailable',
      message: expect.stringMatching(/Install Packer 1\.6 or newer/),
    })
    expect((await view(id)).json).toMatchObject({ state: 'none' })
  })

  it('lists systems and public images of a provider', async () => {
    const types = await server.call('GET', '/api/stacks/provider_os_type/gcp', { as: ada.token })
    expect((types.json as { id: string }[]).map(({ id }) => id)).toContain('rocky-9')
    const { json } = await server.call('GET', '/api/stacks/images_info/aws', { as: ada.token })
    expect(json).toMatchObject({ stacks: [] })
    expect((json as { publicImages: object[] }).publicImages).toContainEqual({
      osType: 'debian-12',
      name: 'Debian 12',
      image: 'debian-12-amd64-*, debian-12-arm64-*',
      publisher: '136693071363',
      username: 'admin',
    })
    expect((await server.call('GET', '/api/stacks/images_info/nope', { as: ada.token })).status).toBe(404)
  })
})
