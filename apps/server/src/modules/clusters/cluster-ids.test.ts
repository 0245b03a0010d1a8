import { api } from '@flotilla/contract/api'
import type { Sent } from '@flotilla/contract/endpoint'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clusters } from '@flotilla/contract/clusters/clusters'
import { lifecycle } from '@flotilla/contract/clusters/lifecycle'
import type { Endpoint } from '@flotilla/contract/endpoint'
import { files } from '@flotilla/contract/jobs/files'
import { testApp, type TestApp } from '../../../test/support/app/app'
import { awsCredential, cloudRow, machine, setMachines } from '../../../test/support/modules/cloud-row'

let server: TestApp
let admin: { id: string; token: string }
let ids: Record<string, string>
beforeAll(async () => {
  server = await testApp()
  admin = await server.person('boss', ['admin', 'user'])
  const { token } = admin
  const made = async (
    data: Sent<typeof api.clusters.createLocal>['body']['data'],
    as = token,
  ): Promise<string> => {
    const reply = await server.must(api.clusters.createLocal, { body: { name: 'Made', data } }, { token: as })
    return reply.id
  }
  const far = {
    manager: 'slurm' as const,
    transport: 'ssh' as const,
    head: { host: '127.0.0.1', port: 1, username: 'keeper' },
  }
  const credential = await awsCredential(server, token)
  const deployed = await cloudRow(server, token, { credential })
  await setMachines(server, deployed, [machine('head', 'head', '10.1.2.3')], { simulated: true })
  const image = { name: 'Image', provider: 'aws' as const, credential_id: credential }
  const body = { ...image, data: { region_id: 'us-east-1' } }
  const stack = await server.must(api.stacks.create, { body }, { token })
  ids = {
    attached: await made(far),
    'this machine': await made({ manager: 'none', transport: 'local' }),
    'saved in a cloud': await cloudRow(server, token, { credential }),
    'deployed in a cloud': deployed,
    "someone else's": await made(
      { ...far, head: { ...far.head, host: 'head.example.org' } },
      (await server.person('adalove', ['user'])).token,
    ),
    'of a credential': credential,
    'of a stack': stack.id,
    'of nothing': 'nothing',
  }
})
afterAll(() => server.close())

const local = { name: 'Renamed', data: { manager: 'none' as const, transport: 'local' as const } }
const head = { host: '127.0.0.1', username: 'k' }
const far = { name: 'Far', data: { manager: 'slurm' as const, transport: 'ssh' as const, head } }
const inCloud = (id: string) => ({
  id,
  name: 'Renamed',
  provider: 'aws',
  credential_id: ids['of a credential'],
  data: { manager: 'slurm', network: { region_id: 'us-east-1' } },
})
type Bodies = (id: string) => unknown[]
const byId: Bodies = (id) => [{ id }]

const ldapShare: Bodies = (id) => [{ id, collaborators: [{ serverId: 'none', dn: 'cn=none' }] }]

/** The input of each call that changes something; new calls have to be added here. */
const bodies = {
  create: (id) => [
    { ...inCloud(id), credential_id: id },
    { ...inCloud(id), stack_id: id },
  ],
  createLocal: () => [far],
  update: (id) => [inCloud(id)],
  updateLocal: (id) => [
    { ...local, id },
    { ...far, id },
  ],
  collaborators: (id) => [{ id, collaborators: [] }],
  places: (id) => [{ id, places: ['/scratch'] }],
  addLdapCollaborators: ldapShare,
  removeLdapCollaborators: ldapShare,
  accept: () => [{ accept: false }, { accept: true, connection: 'a'.repeat(64) }],
  remove: () => [],
  deploy: (id) => [{ id, onlyplan: true }, { id }],
  stop: byId,
  start: byId,
  destroy: (id) => [{ id, keepDisks: ['data'] }, { id }, { id, resetingState: true }],
  test: () => [undefined, local, far],
  acceptHostKey: () => [{ fingerprint: `SHA256:${'a'.repeat(43)}` }],
  drain: () => [{ nodes: ['n1'] }],
  resume: () => [{ nodes: ['n1'] }],
  operateJobs: () => [{ jobs: ['1'] }],
  uploadSshKey: () => [{ sshKey: `ssh-ed25519 ${'A'.repeat(68)}`, targetUsername: 'boss' }],
  price: (id) => [inCloud(id)],
  acceptTerms: byId,
  cancel: byId,
  deployNode: (id) => [{ cluster: id, nodes: ['node1'] }],
  destroyNode: (id) => [{ cluster: id, nodes: ['node1'] }],
  addDisk: (id) => [{ id, disks: [{ name: 'data', size: 10, type: 'gp3' }] }],
  resize: (id) => [{ id, size: { server: { instance_id: 't3.small' } } }],
  burstMode: (id) => [{ clusterId: id, mode: 'off' }],
  setOpenvpn: (id) => [{ cluster: id, openvpn: true }],
  manageFsr: (id) => [{ id, action: 'enable' }],
  writeText: () => [{ path: 'x', text: 'y' }],
  makeFolder: () => [{ path: 'x' }],
  rename: () => [{ from: 'x', to: 'y' }],
  setPermissions: () => [{ paths: ['x'], permissions: 0o644 }],
} satisfies Record<string, Bodies>
const bodiesOf = (name: string, endpoint: Endpoint, id: string): unknown[] => {
  if (!endpoint.body) return [undefined]
  const found = Object.entries(bodies).find(([one]) => one === name)
  if (name === 'removeFiles') return [{ paths: ['x'] }]
  if (!found) throw new Error(`Add the input of ${name} to this test`)
  return found[1](id)
}

const calls = Object.entries<Endpoint>({
  ...clusters,
  ...lifecycle,
  ...files,
  // Two calls share a name.
  remove: clusters.remove,
  removeFiles: files.remove,
})
  // It comes last because it removes the clusters that the other calls need.
  .toSorted(([a], [b]) => Number(a === 'remove') - Number(b === 'remove'))

it('a cluster in a cloud cannot be edited or tested as an attached one', async () => {
  const id = ids['saved in a cloud'] ?? ''
  const as = { token: admin.token }
  for (const refusal of [
    await server.refused(api.clusters.updateLocal, { body: { ...far, id } }, as),
    await server.refused(api.clusters.test, { body: far, beside: { id } }, as),
    await server.refused(api.clusters.test, { beside: { id } }, as),
  ])
    expect(refusal).toMatchObject({
      status: 409,
      code: 'wrong_state',
      message: expect.stringContaining('is in a cloud'),
    })
})

it.each(calls)('%s handles the id of another kind without an internal error', async (name, endpoint) => {
  for (const [kind, id] of Object.entries(ids))
    for (const body of bodiesOf(name, endpoint, id)) {
      const params = { id, cluster: id, operation: 'hold', type: 'deploy', node: 'n1' }
      const input = { ...params, body, ...(name === 'test' && { beside: { id } }) }
      const { status, text } = await server.answer(endpoint, input, { token: admin.token, admin: true })
      // The head node and the cloud of these tests do not exist.
      expect(status, `${kind}: ${JSON.stringify(body)} ${text}`).not.toBe(500)
      if (kind.startsWith('of ') && /:(id|cluster)/.test(endpoint.path)) expect(status, kind).not.toBe(200)
    }
})
