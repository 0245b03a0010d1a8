import { describe, expect, test } from 'vitest'
import { clusterFacts } from '../../test/support/machines/cloud-cluster'
import { recorded, type SystemName } from '../../test/support/machines/recorded-machine'

// The branches for systems that cannot be run here: their own scripts, with a recorder in place of every program that
// would make changes. Whether the packages exist was checked manually; it is not tested.

test('network file systems are mounted now and at every boot, and a missing Lustre client is reported', async () => {
  const mounts = [
    { type: 'nfs' as const, source: 'fs-1.efs.test:/', path: '/data', options: 'nfsvers=4.1' },
    { type: 'nfs' as const, source: '10.1.0.5:/export', path: '/projects/all', options: '' },
  ]
  const calls =
    '. $FL_ROOT/usr/local/lib/flotilla/steps.sh; echo "/dev/vda / ext4 defaults 0 1" >$FL_ROOT/etc/fstab; '
  const { commands, file } = await recorded('debian-12', 'node', `${calls} mount_file_systems`, { mounts })
  expect(commands.filter((one) => one.startsWith('mount'))).toEqual(['mount /data', 'mount /projects/all'])
  expect(commands).toContain('apt-get install -y --no-install-recommends nfs-common')
  expect(await file('etc/fstab')).toBe(
    [
      '/dev/vda / ext4 defaults 0 1',
      'fs-1.efs.test:/ /data nfs nfsvers=4.1,_netdev,nofail 0 0',
      '10.1.0.5:/export /projects/all nfs defaults,_netdev,nofail 0 0',
      '',
    ].join('\n'),
  )
  const lustre = { type: 'lustre' as const, source: 'fs@tcp:/x', path: '/scratch', options: '' }
  const failed = await recorded('debian-12', 'node', `${calls} mount_file_systems`, { mounts: [lustre] })
  expect(failed.commands.join()).toContain('The image has no Lustre client')
  expect(failed.commands.join()).toContain('Could not mount: /scratch')
})

describe("NVIDIA's driver", () => {
  const node = {
    name: 'node1',
    label: '',
    partition: '',
    cores: 8,
    memory: 64,
    gpus: 2,
    gpuPartitionMode: '',
    fabric: 'none' as const,
  }
  const install = async (system: SystemName, gpuModel: string, gpuSoftware: 'driver' | 'cuda') =>
    (
      await recorded(system, 'node', 'has() { false; }; install_gpu_software', {
        nodes: [{ ...node, gpuModel }],
        gpuSoftware,
      })
    ).commands.filter((command) => !/update|install -y --no-install-recommends ca-/.test(command))
  const repos = 'https://developer.download.nvidia.com/compute/cuda/repos'

  test.for([
    ['debian-12', 'debian12'],
    ['ubuntu-22.04', 'ubuntu2204'],
    ['ubuntu-24.04', 'ubuntu2404'],
  ] as const)("and CUDA come from NVIDIA's repository on %s", async ([system, repo]) => {
    expect(await install(system, 'NVIDIA A100', 'cuda')).toEqual([
      `curl -fsSL ${repos}/${repo}/x86_64/cuda-keyring_1.1-1_all.deb`,
      'apt-get install -y /tmp/cuda-keyring.deb',
      'apt-get install -y --no-install-recommends linux-headers-x86_64',
      'apt-get install -y --no-install-recommends nvidia-open',
      'apt-get install -y --no-install-recommends cuda-toolkit',
    ])
  })

  test.for(['rocky-8', 'rocky-9'] as const)('comes as a module on %s', async (system) => {
    const repo = system.replace('rocky-', 'rhel')
    expect((await install(system, 'NVIDIA L4', 'driver')).slice(-3)).toEqual([
      `dnf config-manager --add-repo ${repos}/${repo}/x86_64/cuda-${repo}.repo`,
      'dnf -y install kernel-devel-x86_64 kernel-headers',
      'dnf -y module install nvidia-driver:open-dkms',
    ])
  })

  test('is an older branch for GPUs that current drivers do not support', async () => {
    expect((await install('ubuntu-24.04', 'NVIDIA V100', 'cuda')).slice(-2)).toEqual([
      'apt-get install -y --no-install-recommends cuda-drivers-580',
      'apt-get install -y --no-install-recommends cuda-toolkit-12-9',
    ])
    expect((await install('rocky-9', 'NVIDIA P100', 'driver')).at(-1)).toBe(
      'dnf -y module install nvidia-driver:580-dkms',
    )
  })

  test('is not available on an end-of-life system', async () => {
    expect(await install('centos-7', 'NVIDIA T4', 'driver')).toEqual([
      expect.stringContaining('NVIDIA has no current driver packages for centos 7'),
    ])
  })

  test('is not installed on nodes without NVIDIA GPUs', async () => {
    expect(await install('debian-12', 'AMD Radeon Pro V520', 'cuda')).toEqual([''])
  })
})

describe('fast networks', () => {
  const [base] = clusterFacts().nodes
  const on = async (system: SystemName, fabric: 'efa' | 'rdma', calls: string) => {
    if (!base) throw new Error('no node')
    return recorded(system, 'node', calls, { nodes: [{ ...base, name: 'node1', fabric }] })
  }

  test.for([
    ['debian-12', 'apt-get install -y --no-install-recommends openmpi-bin libopenmpi-dev gcc libc6-dev'],
    ['rocky-9', 'dnf -y install openmpi openmpi-devel gcc'],
  ] as const)('MPI is on every machine: %s', async ([system, command]) => {
    expect((await recorded(system, 'head', 'install_mpi')).commands.at(-1)).toBe(command)
    const { commands, file } = await recorded(system, 'node', 'install_mpi')
    expect(commands.at(-1)).toBe(command)
    // Red Hat's Open MPI is not on the PATH.
    const profile = await file('etc/profile.d/flotilla-mpi.sh').catch(() => '')
    expect(profile.includes('/usr/lib64/openmpi/bin')).toBe(system === 'rocky-9')
  })

  test("AWS's EFA comes with Amazon's installer, which brings libfabric", async () => {
    const installer = 'mkdir -p "$FL_ROOT/opt/amazon/efa/bin" "$FL_ROOT/opt/amazon/openmpi5/bin"'
    const made =
      'for file in efa/bin/fi_info openmpi5/bin/mpirun; do echo "#!/bin/sh" >"$FL_ROOT/opt/amazon/$file"; chmod 755 "$FL_ROOT/opt/amazon/$file"; done'
    // The archive contains only the installer.
    const tar = `tar() { mkdir "$4/aws-efa-installer"; printf '#!/bin/sh\\n%s\\n%s\\n' '${installer}' '${made}' >"$4/aws-efa-installer/efa_installer.sh"; chmod 755 "$4/aws-efa-installer/efa_installer.sh"; }`
    const { commands, file } = await on('ubuntu-24.04', 'efa', `${tar}\ninstall_fabric`)
    expect(commands.at(-1)).toBe(
      'curl -fsSL https://efa-installer.amazonaws.com/aws-efa-installer-latest.tar.gz',
    )
    expect(await file('etc/profile.d/flotilla-mpi.sh')).toContain('PATH=/opt/amazon/openmpi5/bin:$PATH')
    expect(await file('etc/security/limits.d/90-flotilla.conf')).toContain('hard memlock unlimited')
  })

  test("Azure's InfiniBand gets its libraries and an address", async () => {
    const calls =
      'modprobe() { :; }; has_systemd() { false; }; ls() { :; }; echo "# OS.EnableRDMA=n" >"$FL_ROOT/etc/waagent.conf"; install_fabric'
    const { commands, file } = await on('ubuntu-22.04', 'rdma', calls)
    expect(commands.at(-1)).toBe(
      'apt-get install -y --no-install-recommends rdma-core ibverbs-providers ibverbs-utils infiniband-diags',
    )
    expect(await file('etc/waagent.conf')).toBe('OS.EnableRDMA=y\n')
  })
})

describe('Slurm comes', () => {
  test.for(['debian-12', 'ubuntu-22.04', 'ubuntu-24.04'] as const)(
    'from the packages of %s',
    async (system) => {
      expect((await recorded(system, 'head', 'install_part slurm; install_part nfs')).commands).toEqual([
        'apt-get update',
        'apt-get install -y --no-install-recommends munge slurmctld slurm-client',
        'apt-get install -y --no-install-recommends nfs-kernel-server',
      ])
      expect((await recorded(system, 'node', 'install_part slurm; install_part nfs')).commands).toEqual([
        'apt-get update',
        'apt-get install -y --no-install-recommends munge slurmd slurm-client dbus',
        'apt-get install -y --no-install-recommends nfs-common',
      ])
    },
  )

  test.for([
    ['rocky-8', 'powertools'],
    ['rocky-9', 'crb'],
  ] as const)('from EPEL on %s, with the repository %s', async ([system, builder]) => {
    expect((await recorded(system, 'head', 'install_part slurm')).commands).toEqual([
      'dnf -y install epel-release',
      'dnf -y install dnf-plugins-core',
      `dnf config-manager --set-enabled ${builder}`,
      'dnf -y install munge slurm slurm-slurmctld',
    ])
    expect((await recorded(system, 'node', 'install_part slurm')).commands.at(-1)).toBe(
      'dnf -y install munge slurm slurm-slurmd',
    )
  })

  test('from EPEL on RHEL, which is registered first', async () => {
    const keys = { rhelActivationKey: 'my key', rhelOrganization: '42' }
    expect(
      (await recorded('rhel-9', 'node', 'register_with_red_hat; install_part slurm', keys)).commands,
    ).toEqual([
      'subscription-manager register --org=42 --activationkey=my key',
      'dnf -y install https://dl.fedoraproject.org/pub/epel/epel-release-latest-9.noarch.rpm',
      'dnf -y install dnf-plugins-core',
      'subscription-manager repos --enable codeready-builder-for-rhel-9-x86_64-rpms',
      'dnf -y install munge slurm slurm-slurmd',
    ])
  })

  test('from the vault and the archive on CentOS 7, which is end-of-life', async () => {
    const { commands, file } = await recorded('centos-7', 'head', 'install_part slurm')
    expect(commands).toEqual(['yum -y install epel-release', 'yum -y install munge slurm slurm-slurmctld'])
    expect(await file('etc/yum.repos.d/CentOS-Base.repo')).toContain(
      '#mirrorlist=http://mirrorlist.centos.org/?release=$releasever&arch=$basearch&repo=os\nbaseurl=http://vault.centos.org/7.9.2009/os/$basearch/\n',
    )
    expect(await file('etc/yum.repos.d/epel.repo')).toContain(
      'baseurl=https://archives.fedoraproject.org/pub/archive/epel/7/$basearch\n#metalink=',
    )
  })
})

test('a Red Hat activation key is reported on another system', async () => {
  const { commands } = await recorded('rocky-9', 'node', 'register_with_red_hat', {
    rhelActivationKey: 'key',
  })
  expect(commands).toEqual([expect.stringContaining('runs rocky, not Red Hat Enterprise Linux')])
})

test('an unsupported system is reported together with the supported ones', async () => {
  const { commands } = await recorded('opensuse-15', 'node', ':')
  expect(commands).toEqual([
    expect.stringContaining('Flotilla does not support opensuse-leap 15.6. Use Debian'),
  ])
})

describe('the firewall of an image', () => {
  test('with iptables allows the cluster, the VPN and traffic from its clients', async () => {
    const { commands } = await recorded('ubuntu-22.04', 'head', 'open_firewall; forward_vpn')
    expect(commands).toEqual(
      [
        'INPUT -s 10.77.0.0/16 -j ACCEPT',
        'INPUT -s 192.168.0.0/24 -j ACCEPT',
        'POSTROUTING -t nat -s 10.9.0.0/24 -j MASQUERADE',
        'INPUT -p udp --dport 1194 -j ACCEPT',
        'INPUT -s 10.9.0.0/24 -j ACCEPT',
        'FORWARD -s 10.9.0.0/24 -j ACCEPT',
        'FORWARD -d 10.9.0.0/24 -j ACCEPT',
      ].map((rule) => `iptables -w -I ${rule}`),
    )
  })

  test('with firewalld allows the VPN, also after a restart, until it is turned off', async () => {
    const calls = 'open_firewall; forward_vpn; stop_forwarding_vpn'
    const { commands } = await recorded('rocky-9', 'head', calls, { firewall: 'firewall-cmd' })
    const both = (rule: string) => [
      `firewall-cmd --quiet --permanent ${rule}`,
      `firewall-cmd --quiet ${rule}`,
    ]
    expect(commands).toEqual([
      ...both('--zone=trusted --add-source=10.77.0.0/16'),
      ...both('--zone=trusted --add-source=192.168.0.0/24'),
      'iptables -w -I POSTROUTING -t nat -s 10.9.0.0/24 -j MASQUERADE',
      ...both('--add-port=1194/udp'),
      ...both('--zone=trusted --add-source=10.9.0.0/24'),
      'iptables -w -D POSTROUTING -t nat -s 10.9.0.0/24 -j MASQUERADE',
      ...both('--remove-port=1194/udp'),
      ...both('--zone=trusted --remove-source=10.9.0.0/24'),
    ])
  })
})
