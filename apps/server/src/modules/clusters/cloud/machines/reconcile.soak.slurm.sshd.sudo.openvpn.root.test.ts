import { api } from '@flotilla/contract/api'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CloudData } from '@flotilla/contract/clusters/cloud'
import { accountOn } from '../../accounts/accounts'
import { ensureAccount } from '../../accounts/ensure-account'
import { makeCloudMachines } from './cloud-machines'
import { makeReconciler, type Reconciler } from './reconcile'
import { revokeAccessHandler } from './revoke-access'
import * as store from '../../store'
import { makeVpn, type Vpn } from '../../vpn/vpn'
import { openMasterKey } from '../../../../secrets/secrets'
import { makeSshKey } from '../../../../ssh-key'
import { testApp, type TestApp } from '../../../../../test/support/app/app'
import {
  clusterFacts,
  startCloudCluster,
  type CloudCluster,
} from '../../../../../test/support/machines/cloud-cluster'
import { cloudClusterOf, cloudRow, machine, setMachines } from '../../../../../test/support/modules/cloud-row'
import { linkTo, type HeadLink } from '../../../../../test/support/machines/head-ssh'
import { testLog } from '../../../../../test/support/log'

// These tests change a cluster whose machines are running, over a real SSH connection to namespaces of this machine.

let app: TestApp
let owner: { token: string }
let id: string
let cluster: CloudCluster
let link: HeadLink
let reconciler: Reconciler
let vpn: Vpn
let folder: string
let device = ''
const key = makeSshKey('console')

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-settle-'))
  app = await testApp({ CLOUD: 'simulated' })
  owner = await app.person('owner', ['admin'])
  const info = { prefix: 'test-head', bursting: { mode: 'off' } }
  const group = [{ count: 2, instance_id: 't3.small' }]
  id = await cloudRow(app, owner.token, { info, data: { node: { group } } })
  const facts = clusterFacts({ name: `flotilla${id}`, consoleKeys: [key.publicKey] })
  cluster = await startCloudCluster(facts)
  link = await linkTo(cluster.head, key.privateKey)
  await setMachines(app, id, [machine('test-head', 'head', cluster.head.address)])
  const secrets = await openMasterKey(path.join(app.dataDir, 'master.key'))
  vpn = makeVpn({ db: app.db, secrets, find: app.app.clusters.find, now: Date.now })
  reconciler = makeReconciler({
    db: app.db,
    secrets,
    catalog: async () => null,
    image: async () => null,
    torqueSource: async () => null,
    vpn,
    log: testLog().log,
    now: Date.now,
  })
})
afterAll(async () => {
  await link.close()
  await cluster.stop()
  if (device) spawnSync('losetup', ['-d', device])
  await app.close()
  await rm(folder, { recursive: true })
})

const outputOf = async (...argv: string[]) => (await cluster.head.run(argv)).stdout.trim()
async function edit(change: (data: CloudData) => void): Promise<void> {
  const { data } = await cloudClusterOf(app, id)
  change(data)
  await store.update(app.db.kysely, id, { data })
}
async function deployedCluster() {
  const row = await cloudClusterOf(app, id)
  if (!row.deployed) throw new Error('it is not deployed')
  return { ...row, deployed: row.deployed }
}
/** Reconciles as the poller does. */
async function maintain(): Promise<void> {
  const row = await deployedCluster()
  await reconciler.maintain(row, row.deployed, link.connection)
}
/** Reconciles as a run does after the engine, and returns what was logged. */
async function reconcile(more: Parameters<typeof setMachines>[3] = {}): Promise<string[]> {
  const { deployed: before } = await cloudClusterOf(app, id)
  const kept = before?.packages ?? []
  await setMachines(app, id, [machine('test-head', 'head', cluster.head.address)], {
    packages: kept,
    ...more,
  })
  const texts: string[] = []
  const row = await deployedCluster()
  await reconciler.after(row, row.deployed, before, link.connection, (text) => texts.push(text))
  return texts
}

test('a person gets an account on first use, and files and jobs belong to it', async () => {
  const own = makeSshKey('Anna')
  const anna = { username: 'Anna', uid: 710_001, key: own.privateKey }
  await ensureAccount(link.connection, anna)
  await ensureAccount(link.connection, anna)
  const connection = link.as({ username: 'flotilla', privateKey: key.privateKey, sudoAs: 'anna' })
  const { stdout, stderr } = await connection.transport.exec(['id', '-un'], { timeoutMs: 20_000 })
  expect(stdout, stderr).toBe('anna\n')
  const direct = link.as({ username: 'anna', privateKey: own.privateKey })
  expect((await direct.transport.exec(['pwd'], { timeoutMs: 20_000 })).stdout).toBe('/home/anna\n')
})

test('a user with the name of a system account gets the reason', async () => {
  const person = { username: 'daemon', uid: 700_002, key: makeSshKey('x').privateKey }
  await expect(ensureAccount(link.connection, person)).rejects.toThrow(
    /Your account on this cluster could not be created.*was not created by the console/,
  )
})

test('the account of someone who may no longer use the cluster is removed, whatever else is pending', async () => {
  const carl = await app.person('Carl', ['user'])
  const own = makeSshKey('Carl').privateKey
  const share = (collaborators: string[]) =>
    app.must(api.clusters.collaborators, { body: { id, collaborators } }, { token: owner.token })
  const give = async () => accountOn(app.db.kysely, await cloudClusterOf(app, id), carl, link.connection, own)
  const connections = { admin: async () => link.connection }
  const real = makeCloudMachines({ db: app.db, vpn, connections, reconciler, now: Date.now })
  const machines = {
    revokeAccess: async () => {
      const row = await deployedCluster()
      await real.revokeAccess(row, row.deployed)
    },
  }
  const handler = revokeAccessHandler({ db: app.db, machines, log: testLog().log })
  const { signal } = new AbortController()
  const run = { id: '1', attempt: 1, lastAttempt: false, signal, log: testLog().log }
  const retry = () => handler.run({}, run)
  await expect(give()).rejects.toThrow('is no longer shared with Carl')
  await share(['Carl'])
  expect(await give()).toBe('carl')
  await outputOf('runuser', '-u', 'carl', '--', 'touch', '/home/carl/kept')
  await maintain()
  expect(await outputOf('id', '-un', 'carl')).toBe('carl')
  await edit((data) => void (data.node.group = data.node.group.map((one) => ({ ...one, count: 3 }))))
  await share([])
  await maintain()
  expect(await outputOf('id', '-un', 'carl')).toBe('')
  expect(await outputOf('ls', '/home/carl')).toBe('kept')
  const text = (await store.logs(app.db.kysely, id, 'change', 0, undefined)).map((line) => line.text)
  expect(text).toContain('Removed accounts from the machines: carl')
  await share(['Carl'])
  await give()
  expect(await outputOf('runuser', '-u', 'carl', '--', 'ls', '/home/carl')).toBe('kept')
  // No one polls a failed cluster, yet its machines may be running.
  await store.update(app.db.kysely, id, { state: 'failed' })
  await app.must(api.users.remove, { body: { id: carl.id } }, { token: owner.token })
  await retry()
  expect(await outputOf('id', '-un', 'carl')).toBe('')
  await store.update(app.db.kysely, id, { state: 'available' })
  // A new user of the same name gets none of the files.
  const next = await app.person('Carl', ['user'])
  await share(['Carl'])
  await accountOn(app.db.kysely, await cloudClusterOf(app, id), next, link.connection, own)
  expect(await outputOf('runuser', '-u', 'carl', '--', 'ls', '/home/carl')).toBe('')
  expect(await outputOf('sh', '-c', 'ls /home/carl.*')).toBe('kept')
  await share([])
})

test('Slurm learns about added and removed nodes', async () => {
  await edit((data) => void (data.node.group = data.node.group.map((one) => ({ ...one, count: 3 }))))
  await reconcile()
  expect(await outputOf('sinfo', '-h', '-N', '-o', '%N')).toBe('node1\nnode2\nnode3')
  await edit((data) => void (data.node.group = data.node.group.map((one) => ({ ...one, count: 1 }))))
  await reconcile()
  expect(await outputOf('sinfo', '-h', '-N', '-o', '%N')).toBe('node1')
})

test('a new burst mode reaches Slurm without a run', async () => {
  const { info } = await cloudClusterOf(app, id)
  const bursting = { mode: 'min' as const, burstOnDeploy: true }
  await store.update(app.db.kysely, id, {
    info: { ...info, bursting },
    burst_reset_at: new Date(),
  })
  await maintain()
  expect(await outputOf('scontrol', '-o', 'show', 'node', 'node1')).toContain('CLOUD')
  const text = (await store.logs(app.db.kysely, id, 'change', 0, undefined)).map((line) => line.text)
  expect(text).toContain('Slurm is using the new configuration')
})

test('an added disk is formatted and mounted, and unmounted before it is removed', async () => {
  const file = path.join(folder, 'disk')
  await writeFile(file, '')
  await truncate(file, 1024 ** 3)
  device = spawnSync('losetup', ['--find', '--show', file], { encoding: 'utf8' }).stdout.trim()
  expect(device).toMatch(/^\/dev\/loop/)
  await edit((data) => void (data.disks = [{ name: 'data', size: 1, type: '', id: '' }]))
  const texts = await reconcile({ disks: { data: { id: 'vol-1', size: 1, hints: ['/dev/none', device] } } })
  expect(texts).toContain('The disk data is mounted at /mnt/data')
  expect(await outputOf('findmnt', '-no', 'FSTYPE', '/mnt/data')).toBe('ext4')
  await edit((data) => void (data.disks = []))
  const row = await deployedCluster()
  await reconciler.before(
    row,
    row.deployed,
    async () => link.connection,
    () => undefined,
  )
  expect(await outputOf('findmnt', '-no', 'FSTYPE', '/mnt/data')).toBe('')
})

test('packages that are removed from the list are uninstalled', async () => {
  const script = `set -e
    mkdir -p /tmp/probe/DEBIAN
    printf 'Package: flotilla-probe\\nVersion: 1\\nArchitecture: all\\nMaintainer: test\\nDescription: none\\n' >/tmp/probe/DEBIAN/control
    dpkg-deb -b /tmp/probe /tmp/probe.deb && dpkg -i /tmp/probe.deb`
  await outputOf('sh', '-c', script)
  await edit((data) => void (data.packages = ['flotilla-probe']))
  expect(await reconcile()).toContain('Installing packages: flotilla-probe')
  expect((await deployedCluster()).deployed.packages).toEqual(['flotilla-probe'])
  await edit((data) => void (data.packages = []))
  expect(await reconcile()).toContain('Removing packages: flotilla-probe')
  expect(await outputOf('dpkg-query', '-W', '-f', '${Status}', 'flotilla-probe')).not.toContain(
    'ok installed',
  )
})

test('OpenVPN is turned on and off on the head node', async () => {
  await edit((data) => void (data.server.openvpn = true))
  expect(await reconcile()).toContain('OpenVPN is on')
  expect(await outputOf('ip', '-4', '-o', 'addr', 'show', 'dev', 'tun0')).toMatch(/10\.98\.\d+\.1\/24/)
  expect(await outputOf('stat', '-c', '%a', '/etc/openvpn/server/flotilla.conf')).toBe('600')
  // Connections are not cut unnecessarily.
  expect(await reconcile()).toEqual([])
  await edit((data) => void (data.server.openvpn = false))
  expect(await reconcile()).toContain('OpenVPN is off')
  expect(await outputOf('ip', '-4', '-o', 'addr', 'show', 'dev', 'tun0')).toBe('')
})
