import { requestOf } from '@flotilla/client/request'
import { api } from '@flotilla/contract/api'
import { afterAll, describe, expect, it } from 'vitest'
import { STACK_PREFIX, STACK_UPLOAD_MAX_BYTES } from '@flotilla/contract/limits'
import { Stack } from '@flotilla/contract/stacks/entity'
import { stackPlaces } from '../../../test/support/console/stack'
import { openStacks } from '../../../test/support/app/stack-app'

const KEY = 'a-secret-key-that-must-not-leak'
const {
  server,
  answers,
  maria,
  newCredential,
  given,
  made,
  makingRefused,
  edited,
  editRefused,
  view,
  fileText,
} = await openStacks()
afterAll(() => server.close())

describe('a stack', () => {
  it('has the defaults of the specification and keeps all fields', async () => {
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

  it('accepts files and returns their names and bytes to its owner', async () => {
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
      url: requestOf(api.stacks.file, { id: stack.id, field: 'dataFiles', name: 'raw.bin' }, {}).url,
      headers: { authorization: `Bearer ${maria.token}` },
    })
    expect(new Uint8Array(answer.rawPayload)).toEqual(bytes)
    expect((await fileText(stack.id, 'nodeProvisioner', 'setup.sh')).text).toContain('Grüße')
  })

  it('loses the files that an edit does not name and keeps the others', async () => {
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
    const unchanged = await edited(id)
    expect(unchanged.provision).toMatchObject({ dataFiles: [{ name: 'a' }, { name: 'b' }] })
    const provision = { nodeProvisioner: { name: 'node.sh' }, dataFiles: [{ name: 'b' }] }
    const changed = await edited(
      id,
      { provision },
      { dataFiles: [['c', '3']], nodeProvisioner: [['n.sh', 'x']] },
    )
    expect(changed.provision).toEqual({
      nodeProvisioner: { name: 'n.sh', size: 1 },
      serverProvisioner: null,
      dataFiles: [
        { name: 'b', size: 1 },
        { name: 'c', size: 1 },
      ],
      dataFilesB: [],
    })
  })

  it('rejects a second file of the same name, with an error on its field', async () => {
    const twice: [string, string][] = [
      ['a', '1'],
      ['a', '2'],
    ]
    const fields = { dataFiles: 'Duplicate file name: a' }
    expect(await makingRefused({}, { dataFiles: twice })).toMatchObject({ status: 400, fields })
    const { id } = await made({}, { dataFiles: [['a', '1']] })
    const provision = { dataFiles: [{ name: 'a' }] }
    expect(await editRefused(id, { provision }, { dataFiles: [['a', '2']] })).toMatchObject({
      status: 400,
      fields,
    })
  })

  it('also accepts plain JSON with the script as text', async () => {
    const body = { stack: given(), nodeProvisioner: 'echo hello\n' }
    const { status, json } = await server.call('POST', api.stacks.create.path, { as: maria.token, body })
    expect(status).toBe(201)
    expect(Stack.parse(json).provision.nodeProvisioner).toEqual({ name: 'node-provisioner.sh', size: 11 })
  })

  it('keeps only the base name of an uploaded file', async () => {
    const { provision } = await made({}, { dataFiles: [['../../etc/cron.d/x', 'x']] })
    expect(provision.dataFiles).toMatchObject([{ name: 'x' }])
  })

  it.each(['.bashrc', '-rf'])('rejects a file named %s', async (name) => {
    expect((await makingRefused({}, { dataFiles: [[name, 'x']] })).status).toBe(400)
  })

  it('rejects scripts that no shell can read and files beyond the size limit', async () => {
    const windows = await makingRefused({}, { nodeProvisioner: [['a.sh', 'echo\r\n']] })
    expect(windows).toMatchObject({
      status: 400,
      fields: { nodeProvisioner: expect.stringMatching(/Windows/) },
    })
    const large = new Uint8Array(STACK_UPLOAD_MAX_BYTES + 1)
    expect((await makingRefused({}, { dataFiles: [['large', large]] })).status).toBe(413)
  })

  it('hides its Red Hat key and keeps it until its organization is removed', async () => {
    const rhel = { activation_key: KEY, organization_id: '12345' }
    const { id, rhel: shown } = await made({ rhel })
    expect(shown).toEqual({ activation_key: '', activationKeySet: true, organization_id: '12345' })
    const again = await edited(id, { rhel: { organization_id: '12345' } })
    expect(again.rhel).toMatchObject({ activationKeySet: true })
    const removed = await edited(id)
    expect(removed.rhel).toMatchObject({ activationKeySet: false })
    expect(answers.some(({ text }) => text.includes(KEY))).toBe(false)
    expect(server.log()).not.toContain(KEY)
  })

  it('is rejected with an error on each invalid field', async () => {
    const azure = { client_id: 'a', client_secret: 'b', subscription_id: 'c', tenant_id: 'd' }
    const refused = await makingRefused({ credential_id: await newCredential('azure', azure) })
    expect(refused).toMatchObject({
      fields: { credential_id: expect.stringMatching(/another provider/) },
    })
    const fields = {
      ...stackPlaces.aws,
      ocpus: 4,
      zone_id: '{{timestamp}}',
      source_os_type: 'beos-5',
      instance_id: 'nosuch.size',
    }
    const rhel = { organization_id: '{{env `HOME`}}', activation_key: '{{user `x`}}' }
    expect(await makingRefused({ data: fields, rhel })).toMatchObject({
      fields: {
        'data.ocpus': expect.stringMatching(/flexible shapes/),
        'data.instance_id': expect.stringMatching(/No size nosuch\.size/),
        'data.zone_id': expect.stringMatching(/two opening braces/),
        'data.source_os_type': expect.stringMatching(/Unknown operating system/),
        'rhel.organization_id': expect.stringMatching(/two opening braces/),
        'rhel.activation_key': expect.stringMatching(/two opening braces/),
      },
    })
    const elsewhere = { ...stackPlaces.aws, region_id: 'x.evil.com/#' }
    expect(await makingRefused({ data: elsewhere })).toMatchObject({
      fields: { 'data.region_id': 'Enter a region such as eu-west-1' },
    })
    const template: [string, string][] = [['{{env `HOME`}}', 'x']]
    expect(await makingRefused({}, { dataFiles: template })).toMatchObject({
      status: 400,
      fields: expect.anything(),
    })
    const beyond = { provider: 'oracle', data: { ...stackPlaces.oracle, ocpus: 81 } }
    expect(await makingRefused(beyond)).toMatchObject({
      fields: { 'data.ocpus': 'At most 80 OCPUs' },
    })
  })
})
