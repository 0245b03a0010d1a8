import { packagesOfSource } from '@flotilla/contract/site/torque-source'
import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { clusterFacts, quickBursting } from '../../test/support/machines/cloud-cluster'
import { testFolder } from '../../test/support/folder'
import { machineFiles } from './files'
import type { ClusterFacts, MachineInput } from './input'
import { readStatus } from './status'
import { torqueBlockedReason } from './torque-source'
import { HEAD_ADDRESS, seed, userData, userDataTooLongReason } from './user-data'

const head = { role: 'head' as const, address: '', disks: [{ name: 'data', size: 100, hints: ['/dev/sdf'] }] }
const node = { role: 'node' as const, name: 'node1', headAddress: HEAD_ADDRESS }
const managers = ['slurm', 'torque', 'none'] as const
const source = {
  file: 'deb http://repo.test/ torque main\n',
  key: '',
  headPackages: ['t-server'],
  nodePackages: ['t-mom'],
}

/** Text that cannot be compressed, like a key. It is the same on every call. */
const incompressible = (bytes: number) =>
  Array.from({ length: Math.ceil(bytes / 43) }, (_, line) =>
    createHash('sha256').update(String(line)).digest('base64url'),
  ).join('\n')

const machines = managers.flatMap((manager) =>
  [head, node].map((machine): [string, MachineInput] => [
    `${manager} ${machine.role}`,
    { cluster: clusterFacts({ manager, bursting: quickBursting(), torqueSource: source }), machine },
  ]),
)

const Config = z.object({
  write_files: z.array(
    z.object({
      path: z.string(),
      permissions: z.string(),
      content: z.string(),
      encoding: z.optional(z.literal('gz+b64')),
    }),
  ),
  runcmd: z.array(z.array(z.string())),
})

function parse(text: string) {
  const [first, ...rest] = text.split('\n')
  expect(first).toBe('#cloud-config')
  // JSON is YAML.
  return Config.parse(JSON.parse(rest.join('\n')))
}

describe.for(machines)('cloud-init of %s', ([, input]) => {
  test('writes the seed, and runs it', () => {
    const { write_files, runcmd } = parse(userData(input))
    const [address, networks, packed] = write_files
    expect(address?.content).toBe(input.machine.role === 'head' ? '\n' : `${HEAD_ADDRESS}\n`)
    expect(networks?.content).toBe(`${input.cluster.networks.join(' ')}\n`)
    expect(packed?.permissions).toBe('0600')
    expect(gunzipSync(Buffer.from(packed?.content ?? '', 'base64')).toString()).toBe(seed(input))
    expect(runcmd).toEqual([['/bin/sh', packed?.path]])
  })

  test('fits within the limit of each cloud, with room for a provision script', () => {
    const cluster = { ...input.cluster, provisionScript: incompressible(2000) }
    const text = userData({ ...input, cluster })
    for (const provider of ['aws', 'azure', 'gcp', 'oracle', 'maas'] as const)
      expect(userDataTooLongReason(provider, text), provider).toBeNull()
  })

  test('contains scripts that shells can parse', async () => {
    const folder = await testFolder()
    const files = [{ path: '/seed', text: seed(input) }, ...machineFiles(input)]
    const scripts = files.filter(({ path: file, text }) => file.endsWith('.sh') || text.startsWith('#!'))
    expect(scripts.length).toBeGreaterThan(8)
    for (const script of scripts) {
      const file = path.join(folder, script.path)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, script.text)
      execFileSync('sh', ['-n', file])
      execFileSync('bash', ['--posix', '-n', file])
    }
  })

  test('contains each function and file that its scripts use', () => {
    const texts = machineFiles(input)
    const all = texts.map(({ text }) => text).join('\n')
    const there = new Set(texts.map(({ path: file }) => path.basename(file)))
    for (const [, file = ''] of all.matchAll(/\$lib\/([a-z][\w.-]*)/g)) expect(there).toContain(file)
    for (const [, name = ''] of all.matchAll(/^ *(?:step|wish) (?:'[^']*'|"[^"]*") (\w+)$/gm))
      expect(all).toMatch(new RegExp(`^${name}\\(\\) \\{`, 'm'))
  })
})

describe('no value that a user entered', () => {
  const evil = `x'; $(touch /tmp/flotilla-was-here) \`id\` "\n'`
  const fields: Partial<ClusterFacts>[] = [
    { name: evil },
    { rhelActivationKey: evil },
    { rhelOrganization: evil },
    { provisionScript: evil },
    { consoleKeys: [evil] },
    { packages: [evil] },
    {
      torqueSource: { file: evil, key: evil, headPackages: [evil], nodePackages: [evil] },
      manager: 'torque',
    },
  ]
  test.for(fields)('is executed by the seed: %j', (more) => {
    const text = seed({ cluster: clusterFacts(more), machine: head })
    // The seed's own commands are removed: the rest only writes texts to files, which `put` is replaced to prevent.
    const harmless = text
      .replace(/^put\(\) \{[\s\S]*?^\}$/m, 'put() { :; }')
      .replace(/^for folder[\s\S]*?^done$/m, '')
    const upToFiles = harmless.slice(0, harmless.lastIndexOf('if [ -d /run/systemd/system ]'))
    const output = execFileSync(
      'sh',
      ['-c', `${upToFiles}\nls /tmp/flotilla-was-here 2>/dev/null || echo nothing`],
      {
        encoding: 'utf8',
      },
    )
    expect(output).toBe('nothing\n')
  })

  test('can become a setting of Slurm, because names are validated', () => {
    const [first] = clusterFacts().nodes
    if (!first) throw new Error('no node')
    const nodes = [{ ...first, name: 'node1\nSlurmUser=root' }]
    expect(() => seed({ cluster: clusterFacts({ nodes }), machine: head })).toThrow(/Not a machine name/)
  })
})

test('user data that a cloud would reject is reported before anything is created', () => {
  const long = Array.from({ length: 9000 }, (_, index) => `echo ${Math.sin(index)}`).join('\n')
  const text = userData({ cluster: clusterFacts({ provisionScript: long }), machine: head })
  expect(userDataTooLongReason('aws', text)).toMatch(/Shorten the provision script/)
  expect(userDataTooLongReason('gcp', text)).toBeNull()
  expect(userDataTooLongReason('maas', text)).toBeNull()
})

test('the key of a package source fits within the limit of AWS, and a key that is too long is rejected', () => {
  const textWith = (bytes: number) => {
    const torqueSource = { ...source, key: incompressible(bytes) }
    return userData({ cluster: clusterFacts({ manager: 'torque', torqueSource }), machine: head })
  }
  expect(Buffer.byteLength(textWith(5000))).toBeGreaterThan(16_384)
  expect(userDataTooLongReason('aws', textWith(5000))).toBeNull()
  expect(userDataTooLongReason('aws', textWith(12_000))).toMatch(/the repository key/)
})

test('Torque requires an image or a package source', () => {
  const without = {
    manager: 'torque' as const,
    imageHasTorque: false,
    torqueSource: null,
    osType: packagesOfSource(source.file) === 'deb' ? 'debian-12' : 'rocky-9',
  }
  expect(torqueBlockedReason(without)).toMatch(/use Slurm/)
  expect(torqueBlockedReason({ ...without, imageHasTorque: true })).toBeNull()
  expect(torqueBlockedReason({ ...without, torqueSource: source })).toBeNull()
  const other = without.osType === 'rocky-9' ? 'debian-12' : 'rocky-9'
  expect(torqueBlockedReason({ ...without, torqueSource: source, osType: other })).toMatch(/are not for/)
  expect(torqueBlockedReason({ ...without, manager: 'slurm' })).toBeNull()
})

test('an incomplete status is ignored', () => {
  const whole = '{"state":"failed","step":"share folders","ok":false,"message":"no","time":1,"warnings":[]}'
  expect(readStatus(whole)).toMatchObject({ state: 'failed', step: 'share folders', message: 'no' })
  expect(readStatus(whole.slice(0, 40))).toBeNull()
  expect(readStatus('')).toBeNull()
})
