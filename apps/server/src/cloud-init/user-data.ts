import { gzipSync } from 'node:zlib'
import type { ProviderId } from '@flotilla/contract/site/config'
import type { MachineInput } from './input'
import { machineFiles, type MachineFile } from './files'
import { quoted } from './shell'

/** A placeholder in a node's user data for the head node's private address, which the module inserts with `replace`. */
export const HEAD_ADDRESS = '@FLOTILLA_HEAD_ADDRESS@'
/** A placeholder for the ranges of the machines' subnets: the module looks up the ranges of existing subnets. */
export const SUBNET_RANGES = '@FLOTILLA_SUBNET_RANGES@'

const seedPath = '/var/lib/flotilla/seed'
const setupPath = '/usr/local/lib/flotilla/setup'

/**
 * A script that writes every file of a machine and starts the setup. Cloud-init only delivers it; it can also be run
 * manually. User input is quoted in it, and never executed.
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
    // With systemd, the setup continues after this script ends, and again after a reboot in the middle of it.
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
 * The user data for cloud-init as JSON, which is also YAML. The seed is compressed because clouds limit its size; the
 * head node's address and the networks are separate plain text, because only the infrastructure module may know them.
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

/** The clouds' limits in bytes, before the text is encoded for sending. */
const limits: Partial<Record<ProviderId, number>> = {
  aws: 16_384,
  azure: 65_535,
  gcp: 262_144,
  oracle: 22_500,
}

/** The engine compresses with another implementation than this one. */
const PACKED_DIFFERENCE = 1.02

/**
 * The length of a text as it is sent: AWS's limit is so low that its module compresses it, and cloud-init decompresses
 * it.
 */
const sentLength = (provider: ProviderId, text: string): number =>
  provider === 'aws' ? Math.ceil(gzipSync(text).length * PACKED_DIFFERENCE) : Buffer.byteLength(text)

/**
 * Why a cloud would reject the user data, checked before anything is created; usually because the provision script is
 * too long.
 */
export function userDataTooLongReason(provider: ProviderId, text: string): string | null {
  const limit = limits[provider]
  const length = sentLength(provider, text)
  return limit === undefined || length <= limit
    ? null
    : `The user data of a machine is ${length} bytes long, but this cloud accepts at most ${limit}. Shorten the provision script (or, with Torque, the repository key), or move its work into a stack.`
}
