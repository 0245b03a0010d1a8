import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import { clusterFacts, startCloudCluster, type CloudCluster } from '../../test/support/machines/cloud-cluster'
import type { TestMachine } from '../../test/support/machines/machines'
import { until } from '../../test/support/until'
import { addAccount, removeAccount } from './commands'

// A cluster without a resource manager and without shared homes, which the console uses over SSH only. Real sshd and
// sudo run on machines that are namespaces of this one.

let folder: string
let cluster: CloudCluster
let node: TestMachine
let key: { secret: string; public: string }
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'flotilla-test-keys-'))
  key = await makeKey('console')
  cluster = await startCloudCluster(
    clusterFacts({ manager: 'none', share: 'none', consoleKeys: [key.public] }),
  )
  node = await cluster.node('node1')
  await cluster.ready(node)
  for (const machine of [cluster.head, node])
    await machine.run(['sh', '-c', 'mkdir -p /run/sshd; ssh-keygen -A; /usr/sbin/sshd'])
  // Every machine has to know the others' host keys before anyone connects from one to the other.
  for (const [machine, other] of [
    [cluster.head, node],
    [node, cluster.head],
  ] as const)
    await until(
      async () => (await machine.run(['grep', `^${other.name},`, '/etc/ssh/ssh_known_hosts'])).stdout,
    )
})
afterAll(async () => {
  await cluster.stop()
  await rm(folder, { recursive: true })
})

async function makeKey(name: string) {
  const file = path.join(folder, name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
  return { secret: await readFile(file, 'utf8'), public: (await readFile(`${file}.pub`, 'utf8')).trim() }
}

/** Connects with a key only, without prompting. */
async function ssh(from: TestMachine, secret: string, to: string, ...argv: string[]) {
  await from.run(['sh', '-c', 'umask 077; cat >/tmp/key'], { stdin: secret })
  return from.run(['ssh', '-i', '/tmp/key', '-o', 'IdentitiesOnly=yes', '-o', 'BatchMode=yes', to, ...argv])
}

test('the console logs in to every machine with its key, and becomes root by sudo', async () => {
  for (const host of ['test-head', 'node1']) {
    const { stdout, stderr } = await ssh(
      cluster.head,
      key.secret,
      `flotilla@${host}`,
      'hostname;',
      'sudo',
      '-n',
      'id',
      '-u',
    )
    expect(stdout, stderr).toBe(`${host}\n0\n`)
  }
})

test('no one can log in to its account without that key', async () => {
  const other = await makeKey('other')
  expect((await ssh(cluster.head, other.secret, 'flotilla@node1', 'id')).stderr).toContain(
    'Permission denied',
  )
})

describe('a user', () => {
  let mine: { secret: string; public: string }
  beforeAll(async () => {
    mine = await makeKey('anna')
    const { argv } = addAccount('anna', 20_001, mine.public)
    const { code, stderr } = await cluster.head.run(argv)
    if (code !== 0) throw new Error(stderr)
  })

  test('logs in to each machine with their own key, and has a separate home on each', async () => {
    for (const host of ['test-head', 'node1']) {
      const { stdout, stderr } = await ssh(
        cluster.head,
        mine.secret,
        `anna@${host}`,
        'id',
        '-u;',
        'pwd;',
        'touch',
        host,
      )
      expect(stdout, stderr).toBe('20001\n/home/anna\n')
    }
    expect((await node.run(['ls', '/home/anna'])).stdout).toBe('node1\n')
  })

  test('connects from the head node to a node without a prompt', async () => {
    const go = ['runuser', '-u', 'anna', '--', 'ssh', '-o', 'BatchMode=yes', 'node1', 'hostname']
    expect(await cluster.head.run(go)).toMatchObject({ stdout: 'node1\n', code: 0 })
  })

  test('cannot log in after their account is removed', async () => {
    await cluster.head.run(removeAccount('anna', false).argv)
    expect((await ssh(cluster.head, mine.secret, 'anna@node1', 'id')).stderr).toContain('Permission denied')
  })
})
