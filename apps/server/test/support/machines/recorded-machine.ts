import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { clusterFacts } from './cloud-cluster'
import { testFolder } from '../folder'
import { machineFiles } from '../../../src/cloud-init/files'
import type { ClusterFacts } from '../../../src/cloud-init/input'

const release = {
  'debian-12': 'ID=debian\nVERSION_ID="12"\n',
  'ubuntu-22.04': 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\n',
  'ubuntu-24.04': 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n',
  'rocky-8': 'ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="8.10"\n',
  'rocky-9': 'ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.6"\n',
  'rhel-9': 'ID="rhel"\nID_LIKE="fedora"\nVERSION_ID="9.6"\n',
  'centos-7': 'ID="centos"\nID_LIKE="rhel fedora"\nVERSION_ID="7"\n',
  'opensuse-15': 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\nVERSION_ID="15.6"\n',
}

export type SystemName = keyof typeof release

const repository = `[base]
mirrorlist=http://mirrorlist.centos.org/?release=$releasever&arch=$basearch&repo=os
#baseurl=http://mirror.centos.org/centos/$releasever/os/$basearch/
gpgcheck=1
`
const epel = `[epel]
#baseurl=http://download.fedoraproject.org/pub/epel/7/$basearch
metalink=https://mirrors.fedoraproject.org/metalink?repo=epel-7&arch=$basearch
`

const programs = ['apt-get', 'dnf', 'yum', 'rpm', 'dpkg', 'subscription-manager', 'crb', 'uname', 'curl']

/** Runs functions of the setup scripts with a folder as the root file system, and returns the commands they called. */
export async function recorded(
  system: SystemName,
  role: 'head' | 'node',
  calls: string,
  { firewall, ...more }: Partial<ClusterFacts> & { firewall?: string } = {},
) {
  const root = await testFolder()
  const at = (...parts: string[]) => path.join(root, ...parts)
  const machine =
    role === 'head' ? { role, address: '', disks: [] } : { role, name: 'node1', headAddress: '10.0.0.4' }
  for (const file of machineFiles({ cluster: clusterFacts(more), machine })) {
    await mkdir(path.dirname(at(file.path)), { recursive: true })
    await writeFile(at(file.path), file.text)
  }
  await mkdir(at('etc/yum.repos.d'), { recursive: true })
  await mkdir(at('proc/sys/net/ipv4'), { recursive: true })
  await writeFile(at('etc/flotilla/networks'), '10.77.0.0/16 192.168.0.0/24\n')
  await writeFile(at('etc/flotilla/openvpn-network'), '10.9.0.0/24\n')
  await writeFile(at('etc/os-release'), release[system])
  await writeFile(at('etc/yum.repos.d/CentOS-Base.repo'), repository)
  await writeFile(at('etc/yum.repos.d/epel.repo'), epel)
  await mkdir(at('stand-in'))
  for (const program of [...programs, 'iptables', 'mount', 'mountpoint', ...(firewall ? [firewall] : [])]) {
    // Nothing is installed yet, the machine is not registered, and `crb` cannot enable the builder repository.
    const answer =
      { uname: 'echo x86_64', rpm: 'exit 1', dpkg: 'exit 1', crb: 'exit 1', mountpoint: 'exit 1' }[program] ??
      ':'
    const quiet = ['rpm', 'dpkg', 'uname', 'crb', 'mountpoint'].includes(program)
    // There are no firewall rules yet, and firewalld runs.
    const unknown =
      {
        'subscription-manager': '[ "$1" != identity ] || exit 1',
        iptables: '[ "$2" != -C ] || exit 1',
        'firewall-cmd': '[ "$1" != --state ] || exit 0',
      }[program] ?? ':'
    await writeFile(
      at('stand-in', program),
      `#!/bin/sh\n${unknown}\n${quiet ? ':' : `echo ${program} "$@" >>${at('record')}`}\n${answer}\n`,
    )
    await chmod(at('stand-in', program), 0o755)
  }
  const lib = at('usr/local/lib/flotilla')
  const script = `. ${lib}/lib.sh; PATH=${at('stand-in')}:$PATH; . ${lib}/system.sh; . ${lib}/firewall.sh; . ${lib}/role.sh; set -e; read_system; ${calls}`
  try {
    execFileSync('sh', ['-c', script], {
      env: { PATH: process.env.PATH, FL_ROOT: root },
      encoding: 'utf8',
      stdio: 'pipe',
    })
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    return { commands: [`failed: ${output.trim()}`], file: (name: string) => readFile(at(name), 'utf8') }
  }
  const commands = (await readFile(at('record'), 'utf8').catch(() => '')).trim().split('\n')
  return { commands: commands.map(withoutSettings), file: (name: string) => readFile(at(name), 'utf8') }
}

const withoutSettings = (command: string) => command.replaceAll(/ -q| -o \S+/g, '')
