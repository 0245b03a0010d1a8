import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clusterFacts, startCloudCluster, type CloudCluster } from '../../test/support/machines/cloud-cluster'
import type { Result, TestMachine } from '../../test/support/machines/machines'
import { until } from '../../test/support/until'
import { addAccount, configureSlurm, editPackages, removeAccount, type MachineCommand } from './commands'
import { slurmConf } from './slurm-conf'

// Runs cloud-init's own scripts on three machines that are namespaces of this one, with this machine's Slurm. This
// covers the Debian branch, without systemd and without NFS.

const evil = `it's $(touch /tmp/was-here) \`id\` "so"\n`
const facts = clusterFacts({
  provisionScript: `echo "provisioned $(hostname)"\nsinfo >/dev/null 2>&1 || true\n: '${evil.replaceAll("'", '')}'\nexit 3\n`,
})

let cluster: CloudCluster
let nodes: TestMachine[]
beforeAll(async () => {
  cluster = await startCloudCluster(facts)
  nodes = await Promise.all(['node1', 'node2'].map(cluster.node))
  await Promise.all(nodes.map(cluster.ready))
})
afterAll(() => cluster.stop())

/** Runs a command as the console does over SSH, but without sudo, because everyone is root here. */
const asConsole = ({ argv, stdin }: MachineCommand): Promise<Result> =>
  cluster.head.run(['setpriv', '--reuid', 'flotilla', '--regid', 'flotilla', '--init-groups', ...argv], {
    stdin,
  })

const outputOf = async (machine: TestMachine, ...argv: string[]) => {
  const { code, stdout, stderr } = await machine.run(argv)
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`)
  return stdout.trim()
}
const sorted = (text: string) => text.split('\n').toSorted()

const publicKey = () => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'flotilla-test-key-')), 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
  return readFileSync(`${file}.pub`, 'utf8').trim()
}

describe('a newly set up cluster', () => {
  test('runs a job on both of its nodes at once', async () => {
    expect(sorted(await outputOf(cluster.head, 'srun', '-N2', 'hostname'))).toEqual(['node1', 'node2'])
  })

  test('runs an MPI program on both of its nodes with a plain srun', async () => {
    const source =
      '#include <mpi.h>\n#include <stdio.h>\nint main(int c, char **v) { int n; MPI_Init(&c, &v); MPI_Comm_size(MPI_COMM_WORLD, &n); printf("%d\\n", n); return MPI_Finalize(); }\n'
    const program = '/opt/shared/size'
    const compiled = await cluster.head.run(['mpicc', '-x', 'c', '-o', program, '-'], { stdin: source })
    expect(compiled).toMatchObject({ code: 0 })
    // If the two programs did not find each other, each would report a size of 1.
    expect(await outputOf(cluster.head, 'srun', '-N2', program)).toBe('2\n2')
  })

  test('runs a batch job to its end, and keeps a record of it', async () => {
    const id = (
      await outputOf(
        cluster.head,
        'sbatch',
        '--parsable',
        '-o',
        '/opt/shared/out',
        '--wrap',
        'hostname; nproc',
      )
    ).trim()
    const record = await until(async () => {
      const { stdout } = await cluster.head.run(['grep', `JobId=${id} `, '/var/log/slurm/jobcomp.log'])
      return stdout
    })
    expect(record).toContain('JobState=COMPLETED')
    // The job is bound to the one core that it was allocated.
    expect(await outputOf(cluster.head, 'cat', '/opt/shared/out')).toMatch(/^node[12]\n1$/)
  })

  test('reports that the provision script failed, but is ready', async () => {
    for (const machine of [cluster.head, ...nodes]) {
      expect(await cluster.status(machine)).toMatchObject({
        state: 'ready',
        ok: true,
        warnings: expect.arrayContaining([
          expect.stringMatching(/^run the provision script: .* exited with code 3/),
        ]),
      })
      expect(await outputOf(machine, 'cat', '/var/log/flotilla/provision.log')).toBe(
        `provisioned ${machine.name}`,
      )
      expect((await machine.run(['ls', '/tmp/was-here'])).code).not.toBe(0)
    }
  })

  test('does not let users read its secrets', async () => {
    const read = (file: string) =>
      nodes[0]?.run(['setpriv', '--reuid', 'nobody', '--clear-groups', 'cat', file])
    for (const file of [
      '/etc/flotilla/join.key',
      '/etc/flotilla/machine.env',
      '/srv/flotilla-secrets/munge.key',
      '/etc/munge/munge.key',
    ])
      expect((await read(file))?.stderr, file).toContain('Permission denied')
  })

  test('can be set up again while a job keeps running', async () => {
    const id = await outputOf(
      cluster.head,
      'sbatch',
      '--parsable',
      '-o',
      '/opt/shared/long',
      '--wrap',
      'sleep 8; echo survived',
    )
    await until(
      async () => (await outputOf(cluster.head, 'squeue', '-h', '-j', id, '-o', '%T')) === 'RUNNING',
    )
    const again = await cluster.head.run(['/usr/local/lib/flotilla/setup'], {
      env: { FLOTILLA_WITHOUT: 'install_base restrict_metadata share_folders' },
    })
    expect(again.code).toBe(0)
    await until(async () => (await cluster.head.run(['cat', '/opt/shared/long'])).stdout.includes('survived'))
    expect(sorted(await outputOf(cluster.head, 'srun', '-N2', 'hostname'))).toEqual(['node1', 'node2'])
  })
})

describe('user accounts', () => {
  test('exist on every node when the command returns, and can run jobs', async () => {
    const key = publicKey()
    expect(await asConsole(addAccount('anna', 20_001, key))).toMatchObject({ code: 0 })
    const run = ['runuser', '-u', 'anna', '--', 'srun', '-N2', '--chdir=/home/anna', 'sh', '-c', 'id -u; pwd']
    expect(sorted(await outputOf(cluster.head, ...run))).toEqual([
      '/home/anna',
      '/home/anna',
      '20001',
      '20001',
    ])
    expect(
      await outputOf(cluster.head, 'stat', '-c', '%U %a', '/home/anna', '/home/anna/.ssh/authorized_keys'),
    ).toBe('anna 700\nanna 600')
    expect(await outputOf(cluster.head, 'cat', '/home/anna/.ssh/authorized_keys')).toContain(
      key.split(' ')[1],
    )
  })

  test('replace the old key with a new one, and keep keys that users added', async () => {
    await outputOf(
      cluster.head,
      'sh',
      '-c',
      'echo "ssh-ed25519 AAAAmine anna@laptop" >>/home/anna/.ssh/authorized_keys',
    )
    const key = publicKey()
    expect(await asConsole(addAccount('anna', 20_001, key))).toMatchObject({ code: 0 })
    const lines = (await outputOf(cluster.head, 'cat', '/home/anna/.ssh/authorized_keys')).split('\n')
    expect(lines).toHaveLength(3)
    expect(lines).toContain('ssh-ed25519 AAAAmine anna@laptop')
    expect(lines).toContain(`${key.split(' ').slice(0, 2).join(' ')} flotilla`)
  })

  test('cannot be used to write to files of other users', async () => {
    await asConsole(addAccount('mallory', 20_002, publicKey()))
    await outputOf(cluster.head, 'mkdir', '-p', '/root/.ssh')
    await outputOf(cluster.head, 'sh', '-c', 'rm -rf /home/mallory/.ssh; ln -s /root/.ssh /home/mallory/.ssh')
    expect((await asConsole(addAccount('mallory', 20_002, publicKey()))).code).not.toBe(0)
    expect(await outputOf(cluster.head, 'ls', '-A', '/root/.ssh')).not.toContain('authorized_keys.new')
  })

  test.for([
    [['add', 'root', '20009', 'ssh-ed25519 AAAA x'], 'was not created by the console'],
    [['add', 'a;reboot', '20009', 'ssh-ed25519 AAAA x'], 'Not a valid account name'],
    [['add', 'fine\nroot', '20009', 'ssh-ed25519 AAAA x'], 'Not a valid account name'],
    [['add', 'bob', '0', 'ssh-ed25519 AAAA x'], 'Not a valid uid'],
    [['add', 'bob', '20001', 'ssh-ed25519 AAAA x'], 'belongs to the account anna'],
    [['add', 'bob', '20009', 'ssh-ed25519 AAAA x\ncommand="id" ssh-rsa BBBB'], 'Not a public key'],
    [['add', 'bob', '20009', 'command="id" ssh-rsa BBBB'], 'Not a public key'],
  ] as const)('are rejected if the arguments are invalid: %j', async ([args, reason]) => {
    const { code, stderr } = await cluster.head.run(['/usr/local/sbin/flotilla-account', ...args])
    expect(stderr).toContain(reason)
    expect(code).toBe(1)
  })

  test('are removed from every node, and their files are kept unless requested otherwise', async () => {
    await asConsole(addAccount('carl', 20_003, publicKey()))
    expect(await asConsole(removeAccount('carl', false))).toMatchObject({ code: 0 })
    for (const machine of [cluster.head, ...nodes])
      expect((await machine.run(['id', 'carl'])).code).not.toBe(0)
    expect((await cluster.head.run(['ls', '/home/carl/.ssh'])).code).toBe(0)
    await asConsole(addAccount('carl', 20_003, publicKey()))
    await asConsole(removeAccount('carl', true))
    expect((await cluster.head.run(['ls', '/home/carl'])).code).not.toBe(0)
  })
})

describe('a change on the running cluster', () => {
  test('of its packages is applied on all machines', async () => {
    // An installed package needs no package source, and a missing package cannot be removed.
    expect(await asConsole(editPackages(['coreutils'], ['flotilla-no-such-package']))).toMatchObject({
      code: 0,
    })
    for (const { name } of nodes)
      expect(
        await until(
          async () =>
            (await cluster.head.run(['cat', `/srv/flotilla-inbox/reports/${name}.packages`])).stdout,
        ),
      ).toBe('ok\n')
    const refused = await asConsole(editPackages(['-o=Dir::x', '$(reboot)'], []))
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Not a package list') })
  })

  test('of its nodes is applied to Slurm on all machines, and an invalid one has no effect', async () => {
    const [first] = facts.nodes
    if (!first) throw new Error('no node')
    const more = slurmConf({ ...facts, nodes: [...facts.nodes, { ...first, name: 'node3' }] })
    const { code, stderr } = await asConsole(configureSlurm(more))
    expect(code, stderr).toBe(0)
    expect(await outputOf(cluster.head, 'sinfo', '-h', '-N', '-o', '%N')).toBe('node1\nnode2\nnode3')
    await until(
      async () =>
        (await nodes[0]?.run(['grep', '-c', 'node\\[1-3\\]', '/run/slurm/conf/slurm.conf']))?.code === 0,
    )
    expect((await asConsole(configureSlurm(`${more}Nonsense=yes\n`))).stderr).toContain(
      'the previous one was restored',
    )
    expect(sorted(await outputOf(cluster.head, 'srun', '-N2', 'hostname'))).toEqual(['node1', 'node2'])
  })
})

test('a node that cannot join reports why', async () => {
  await nodes[1]?.powerOff()
  await cluster.head.run(['sh', '-c', 'echo garbage >/srv/flotilla-secrets/munge.key'])
  const node = await cluster.node('node2')
  const status = await until(async () => {
    const now = await cluster.status(node)
    return now?.state === 'failed' ? now : null
  })
  expect(status).toMatchObject({
    step: 'set up slurm',
    ok: false,
    message: expect.stringContaining("The cluster's key cannot be decrypted"),
  })
})
