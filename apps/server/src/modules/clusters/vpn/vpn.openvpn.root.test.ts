import { api } from '@flotilla/contract/api'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { MachineCommand } from '../../../cloud-init/commands'
import * as clusterStore from '../store'
import { makeVpn, type Vpn } from './vpn'
import { openMasterKey } from '../../../secrets/secrets'
import { testApp, type TestApp } from '../../../../test/support/app/app'
import {
  connectNamespaces,
  openNetworkNamespace,
  type NetworkNamespace,
} from '../../../../test/support/machines/network-namespace'
import { cloudClusterOf } from '../../../../test/support/modules/cloud-row'
import { until } from '../../../../test/support/until'

// These tests run a real OpenVPN server with the configuration that the console would install on the head node, and a
// real client with the profile from the console, each in its own network namespace.

type Person = Awaited<ReturnType<TestApp['person']>>
const HEAD = '10.203.0.1'

let app: TestApp
let vpn: Vpn
let folder: string
let id: string
let owner: Person
let anna: Person
let networks: { head: NetworkNamespace; person: NetworkNamespace }

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-vpn-'))
  app = await testApp({ CLOUD: 'simulated' })
  owner = await app.person('owner', ['admin'])
  anna = await app.person('anna', ['user'])
  vpn = makeVpn({
    db: app.db,
    secrets: await openMasterKey(path.join(app.dataDir, 'master.key')),
    find: app.app.clusters.find,
    now: Date.now,
  })
  const credentials = { name: 'AWS', provider: 'aws' as const, data: { access_key: 'a', secret_key: 'b' } }
  const made = await app.must(api.credentials.create, { body: credentials }, { token: owner.token })
  const cluster = {
    name: 'Wetter und Klima',
    provider: 'aws' as const,
    credential_id: made.id,
    collaborators: ['anna'],
    info: { 'os-type': 'ubuntu-22.04' as const },
    data: { manager: 'slurm' as const, network: { region_id: 'us-east-1' }, server: { openvpn: true } },
  }
  const saved = await app.must(api.clusters.create, { body: cluster }, { token: owner.token })
  id = saved.id
  networks = { head: await openNetworkNamespace(), person: await openNetworkNamespace() }
  connectNamespaces([
    { namespace: networks.head, address: `${HEAD}/24` },
    { namespace: networks.person, address: '10.203.0.2/24' },
  ])
  // The VPN routes to this address in the cluster's network.
  networks.head.ip('addr', 'add', '10.77.3.4/32', 'dev', 'lo')
})
const daemons: ChildProcess[] = []
const end = async (child: ChildProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await gone
}
afterEach(async () => {
  for (const child of daemons.splice(0)) await end(child)
})
afterAll(async () => {
  for (const network of Object.values(networks)) await network.close()
  await app.close()
  await rm(folder, { recursive: true })
})

const start = (network: NetworkNamespace, argv: string[]) => {
  const [program = '', ...args] = network.within(argv)
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  daemons.push(child)
  return child
}
async function openvpn(network: NetworkNamespace, name: string, config: string) {
  const file = path.join(folder, `${name}.conf`)
  await writeFile(file, config, { mode: 0o600 })
  const child = start(network, ['openvpn', '--config', file])
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (output += data.toString()))
  return {
    output: () => output,
    says: (pattern: RegExp) =>
      until(() => {
        if (pattern.test(output)) return true
        if (child.exitCode !== null) throw new Error(`${name} ended:\n${output}`)
        return false
      }),
  }
}

async function deploy(simulated: boolean) {
  const head = {
    id: 'i-1',
    name: 'head',
    role: 'head',
    group: null,
    instance_id: 't3.large',
    cores: 2,
    gpus: 0,
  }
  const machines = [{ ...head, privateIp: '10.77.1.5', publicIp: HEAD }]
  const deployed = { simulated, machines, disks: {}, madeFrom: '' }
  await app.db.kysely
    .updateTable('clusters')
    .set({ deployed: JSON.stringify(deployed), state: 'available' })
    .where('id', '=', id)
    .execute()
}
async function turn(on: boolean) {
  const { data } = await cloudClusterOf(app, id)
  const server = { ...data.server, openvpn: on }
  await clusterStore.update(app.db.kysely, id, { data: { ...data, server } })
}
/** The configuration that the head node would get; null if it is up to date. */
async function serverConfig(how: { edited?: boolean } = {}): Promise<string | null> {
  const cluster = await cloudClusterOf(app, id)
  if (!cluster.deployed) throw new Error('it is not deployed')
  const commands: MachineCommand[] = []
  await vpn.reconcile(cluster, cluster.deployed, async (command) => commands.push(command), how)
  return commands[0]?.stdin ?? null
}
const download = (as: string) => app.answer(api.lifecycle.openvpnProfile, { id }, { token: as })

test('without a VPN, or before the cluster is deployed, a profile is refused with the reason', async () => {
  const early = await download(anna.token)
  expect(early).toMatchObject({ status: 409, json: { message: expect.stringContaining('not deployed') } })
  await deploy(false)
  await turn(false)
  expect(await download(anna.token)).toMatchObject({
    status: 409,
    json: { message: 'The VPN of this cluster is off: owner can turn it on' },
  })
  await turn(true)
})

test('a client connects with the profile and reaches the network of the cluster', async () => {
  const { status, text, headers } = await download(anna.token)
  expect(status).toBe(200)
  expect(headers['content-disposition']).toContain("filename*=UTF-8''Wetter%20und%20Klima.ovpn")
  expect(headers['content-type']).toContain('application/x-openvpn-profile')
  expect((await download(anna.token)).text).toBe(text)
  expect((await download(owner.token)).text).not.toBe(text)
  const downloads = await app.db.kysely
    .selectFrom('activities')
    .select(['actor', 'subject'])
    .where('action', '=', 'VPN profile downloaded')
    .orderBy('id')
    .execute()
  expect(downloads).toEqual(
    ['anna', 'anna', 'owner'].map((actor) => ({ actor, subject: 'cluster Wetter und Klima' })),
  )
  const server = await openvpn(networks.head, 'server', (await serverConfig()) ?? '')
  await server.says(/Initialization Sequence Completed/)
  const client = await openvpn(networks.person, 'anna', text)
  await client.says(/Initialization Sequence Completed/)
  const script = `require('net').createServer((s) => s.end('inside')).listen(9000, '10.77.3.4', () => console.log('up'))`
  await once(start(networks.head, [process.execPath, '-e', script]).stdout, 'data')
  const visit = `require('net').connect(9000, '10.77.3.4').setTimeout(20000, () => process.exit(1)).pipe(process.stdout)`
  const [program = '', ...visitor] = networks.person.within([process.execPath, '-e', visit])
  expect(spawnSync(program, visitor, { encoding: 'utf8' })).toMatchObject({ stdout: 'inside', status: 0 })
  expect(server.output()).toContain('anna')
  // The server is up to date.
  expect(await serverConfig()).toBeNull()
})

test('a user who may no longer see the cluster can no longer connect', async () => {
  const { text } = await download(anna.token)
  await app.must(api.clusters.collaborators, { body: { id, collaborators: [] } }, { token: owner.token })
  expect((await download(anna.token)).status).toBe(404)
  // This does not wait for a pending edit, and does not apply it.
  await turn(false)
  const config = await serverConfig({ edited: true })
  await turn(true)
  expect(await serverConfig()).toBeNull()
  const server = await openvpn(networks.head, 'server', config ?? '')
  await server.says(/Initialization Sequence Completed/)
  await openvpn(networks.person, 'anna', text)
  await server.says(/revoked/i)
  const other = await openvpn(networks.person, 'owner', (await download(owner.token)).text)
  await other.says(/Initialization Sequence Completed/)
})

test('the profile of a simulated cluster says that it is simulated', async () => {
  await deploy(true)
  expect((await download(owner.token)).text).toContain('# This cluster is simulated')
})

test('no key is stored unencrypted in the database', async () => {
  const rows = await app.db.kysely.selectFrom('cluster_vpn_clients').selectAll().execute()
  const authority = await app.db.kysely.selectFrom('cluster_vpn').selectAll().execute()
  expect(rows.length).toBeGreaterThan(1)
  expect(JSON.stringify([rows, authority])).not.toContain('PRIVATE')
})
