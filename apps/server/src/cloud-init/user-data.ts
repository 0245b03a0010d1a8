import { gzipSync } from 'node:zlib'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { MachineInput } from './input'
import { machineFiles, type MachineFile } from './files'
import { quoted } from './shell'

/** Stands in a node's text for the private address of the head node: the module puts the address there by `replace`. */
export const HEAD_ADDRESS = '@FLOTILLA_HEAD_ADDRESS@'
/** The same for the ranges of the subnets that the machines are in: given ones are looked up by the module. */
export const SUBNET_RANGES = '@FLOTILLA_SUBNET_RANGES@'

const seedPath = '/var/lib/flotilla/seed'
const setupPath = '/usr/local/lib/flotilla/setup'

/**
 * One script that puts every file of a machine in its place and sets the machine up. Cloud-init only delivers it; it runs
 * as well manually. The texts of people are words in it and never commands.
 */
export const seed = (input: MachineInput): string =>
  [
    '#!/bin/sh',
    'set -e',
    'umask 077',
    'put() { # permissions, file, text',
    '  mkdir -p "$(dirname "$2")"',
    '  printf %s "$3" >"$2.flotilla-seed"',
    '  chmod "$1" "$2.flotilla-seed"',
    '  mv -f "$2.flotilla-seed" "$2"',
    '}',
    'for folder in /etc/flotilla /usr/local/lib/flotilla /usr/local/sbin /var/lib/flotilla; do',
    '  mkdir -p "$folder"',
    '  chmod 0755 "$folder"',
    'done',
    ...machineFiles(input).map(({ path, mode, text }: MachineFile) => `put ${mode} ${path} ${quoted(text)}`),
    // With systemd it continues when this one is ended, and again after a start in the middle of it.
    'if [ -d /run/systemd/system ]; then',
    '  systemctl daemon-reload',
    '  systemctl enable flotilla-setup',
    '  systemctl start --no-block flotilla-setup',
    'else',
    `  exec ${setupPath}`,
    'fi',
    '',
  ].join('\n')

/**
 * The text for cloud-init: JSON, which is YAML too. The seed is packed because clouds take little; the address of the head
 * node and the ranges of the network stand beside it, readable, since only the infrastructure module may know them.
 */
export function userData(input: MachineInput): string {
  const address = input.machine.role === 'head' ? input.machine.address : input.machine.headAddress
  const config = {
    preserve_hostname: true,
    manage_etc_hosts: false,
    ssh_pwauth: false,
    write_files: [
      { path: '/etc/flotilla/head', permissions: '0644', content: `${address}\n` },
      {
        path: '/etc/flotilla/networks',
        permissions: '0644',
        content: `${input.cluster.networks.join(' ')}\n`,
      },
      {
        path: seedPath,
        permissions: '0600',
        encoding: 'gz+b64',
        content: gzipSync(seed(input), { level: 9 }).toString('base64'),
      },
    ],
    runcmd: [['/bin/sh', seedPath]],
  }
  return `#cloud-config\n${JSON.stringify(config)}\n`
}

/** What the clouds take, before it is encoded for sending. */
const limits: Partial<Record<ProviderId, number>> = {
  aws: 16_384,
  azure: 65_535,
  gcp: 262_144,
  oracle: 22_500,
}

/** The engine packs with another program than this one. */
const PACKED_DIFFERENCE = 1.02

/** How long a text is when it is sent: AWS takes so little that its module packs it, and cloud-init unpacks it. */
const sentLength = (provider: ProviderId, text: string): number =>
  provider === 'aws' ? Math.ceil(gzipSync(text).length * PACKED_DIFFERENCE) : Buffer.byteLength(text)

/** Whether a cloud takes a text, before anything is made; the provision script is what can be too long. */
export function userDataTooLongReason(provider: ProviderId, text: string): string | null {
  const limit = limits[provider]
  const length = sentLength(provider, text)
  return limit === undefined || length <= limit
    ? null
    : `The user data of a machine is ${length} bytes long, but this cloud accepts at most ${limit}. Shorten the provision script (or, with Torque, the repository key), or move its work into a stack.`
}
