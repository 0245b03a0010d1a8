import { group, itReportsImpossible, type Impossible, type Data } from '../../test/support/modules/impossible'

const cases: Impossible[] = [
  // EFA
  {
    what: 'EFA on a size without it',
    on: 'aws',
    change: (data) => Object.assign(group(data), { instance_id: 't2.large', efa: true }),
    at: 'data.node.group.0.efa',
    says: /t2.large has no Elastic Fabric Adapter/,
  },
  ...(['azure', 'gcp', 'oracle', 'maas'] as const).map((on) => ({
    what: 'EFA on another cloud',
    on,
    change: (data: Data) => void (group(data).efa = true),
    at: 'data.node.group.0.efa',
    says: /only on AWS/,
  })),
  // Memory
  {
    what: 'less memory than cores',
    on: 'oracle',
    change: ({ server }) => Object.assign(server, { ocpus: 64, mem: 32 }),
    at: 'data.server.mem',
    says: /^At least 64 GB with 64 OCPUs$/,
  },
  {
    what: 'more memory than the cores support',
    on: 'oracle',
    change: (data) => Object.assign(group(data), { instance_id: 'VM.Standard.E4.Flex', ocpus: 1, mem: 65 }),
    at: 'data.node.group.0.mem',
    says: /^At most 64 GB with 1 OCPU$/,
  },
  // Processors
  {
    what: 'an x86 image of a stack on ARM nodes',
    on: 'aws',
    change: () => undefined,
    image: { arch: 'x86_64', disk: 0 },
    at: 'data.node.group.0.instance_id',
    says: /image is for x86, but c6gn.16xlarge is an ARM size/,
  },
  {
    what: 'an ARM image of a stack on an x86 head node',
    on: 'aws',
    change: () => undefined,
    image: { arch: 'arm64', disk: 0 },
    at: 'data.server.instance_id',
    says: /image is for ARM, but c5n.9xlarge is an x86 size/,
  },
  {
    what: 'a system without a public ARM image',
    on: 'azure',
    change: (data, { info }) => {
      info['os-type'] = 'rocky-9'
      data.server.instance_id = 'Standard_D4ps_v5'
    },
    at: 'data.server.instance_id',
    says: /Rocky Linux 9 has no public ARM image on Azure/,
  },
  {
    what: 'a system without a public image',
    on: 'gcp',
    change: (_data, { info }) => void (info['os-type'] = 'centos-7'),
    at: 'info.os-type',
    says: /no longer offers CentOS 7/,
  },
  {
    what: 'a system without a platform image',
    on: 'oracle',
    change: (_data, { info }) => void (info['os-type'] = 'centos-7'),
    at: 'info.os-type',
    says: /no platform image/,
  },
  // Accelerators
  {
    what: 'an accelerator on a family without it, head node',
    on: 'gcp',
    change: ({ server }) =>
      Object.assign(server, { instance_id: 'c3-standard-44', accelerator_type: 'nvidia-tesla-t4' }),
    at: 'data.server.accelerator_type',
    says: /c3-standard-44 does not support attached accelerators/,
  },
  {
    what: 'an accelerator on a family without it, nodes',
    on: 'gcp',
    change: (data) => {
      group(data).instance_id = 'c3-standard-44'
      data.node.accelerator_type = 'nvidia-tesla-t4'
    },
    at: 'data.node.accelerator_type',
    says: /c3-standard-44 does not support attached accelerators/,
  },
  {
    what: 'an unknown accelerator',
    on: 'gcp',
    change: ({ server }) => void (server.accelerator_type = 'nvidia-tesla-k9'),
    at: 'data.server.accelerator_type',
    says: /No accelerator named nvidia-tesla-k9/,
  },
  {
    what: 'a number of accelerators that cannot be attached',
    on: 'gcp',
    change: ({ server }) =>
      Object.assign(server, { accelerator_type: 'nvidia-tesla-t4', accelerator_count: 3 }),
    at: 'data.server.accelerator_count',
    says: /Attach 1, 2, 4 of NVIDIA T4/,
  },
  {
    what: 'too many cores for the accelerators',
    on: 'gcp',
    change: ({ server }) =>
      Object.assign(server, { instance_id: 'n1-standard-16', accelerator_type: 'nvidia-tesla-v100' }),
    at: 'data.server.accelerator_count',
    says: /at most 12 cores; n1-standard-16 has 16/,
  },
  {
    what: 'an accelerator on another cloud',
    on: 'aws',
    change: ({ node }) => void (node.accelerator_type = 'nvidia-tesla-t4'),
    at: 'data.node.accelerator_type',
    says: /Only Google Cloud/,
  },
  // Disks
  ...(
    [
      ['aws', 'gp2', 16_385, /At most 16384 GB for General purpose SSD, older/],
      ['aws', 'io1', 16_385, /At most 16384 GB/],
      ['aws', 'standard', 1025, /At most 1024 GB for Magnetic/],
      ['azure', '', 4096, /At most 4095 GB for Premium SSD/],
      ['azure', '', 29, /At least 30 GB for this image/],
      ['gcp', '', 19, /At least 20 GB for this image/],
      ['oracle', '', 49, /At least 50 GB/],
      ['oracle', '20', 32_769, /At most 32768 GB/],
      ['aws', '', 7, /At least 8 GB for this image/],
    ] as const
  ).flatMap(([on, type, size, says]) =>
    (['server', 'node'] as const).map((part) => ({
      what: `a system disk of ${size} GB, ${type || 'the default type'}, ${part}`,
      on,
      change: (data: Data) => Object.assign(data[part], { disk_type: type, volume_size: size }),
      at: `data.${part}.volume_size`,
      says,
    })),
  ),
  ...(
    [
      ['aws', 'io2', 3, /At least 4 GB/],
      ['aws', 'io1', 3, /At least 4 GB/],
      ['aws', 'standard', 1025, /At most 1024 GB/],
      ['azure', '', 32_768, /At most 32767 GB/],
      ['gcp', 'pd-ssd', 9, /At least 10 GB/],
      ['oracle', '', 49, /At least 50 GB/],
    ] as const
  ).map(([on, type, size, says]) => ({
    what: `a disk of ${size} GB, ${type || 'the default type'}`,
    on,
    change: (data: Data) => void (data.disks = [{ name: 'data', size, type, id: '' }]),
    at: 'data.disks.0.size',
    says,
  })),
  {
    what: 'an NFS mount of a Lustre file system',
    on: 'aws',
    change: (data) =>
      void (data.mounts = [{ type: 'nfs', source: 'fs-0a.fsx@tcp:/x', path: '/data', options: '' }]),
    at: 'data.mounts.0.type',
    says: /source of a Lustre file system/,
  },
  {
    what: 'a Lustre mount without its network',
    on: 'aws',
    change: (data) =>
      void (data.mounts = [{ type: 'lustre', source: 'fs-0a.efs:/', path: '/data', options: '' }]),
    at: 'data.mounts.0.source',
    says: /with its network, such as fs.example.org@tcp/,
  },
  ...['zones/us-central1-f', 'regions/europe-west1'].map((place) => ({
    what: `a disk in ${place}`,
    on: 'gcp' as const,
    change: (data: Data) =>
      void (data.disks = [{ name: 'data', size: 0, type: '', id: `projects/lab/${place}/disks/data` }]),
    at: 'data.disks.0.id',
    says: /This disk is in .*, the cluster in us-/,
  })),
  ...(['aws', 'azure', 'gcp', 'oracle'] as const).flatMap((on) => [
    {
      what: 'an existing disk whose ID is malformed',
      on,
      change: (data: Data) => void (data.disks = [{ name: 'data', size: 0, type: '', id: 'vol-XYZ.1' }]),
      at: 'data.disks.0.id',
      says: /Enter the ID of a disk, such as/,
    },
    {
      what: 'an unknown type of disk',
      on,
      change: (data: Data) => void (data.disks = [{ name: 'data', size: 100, type: 'tape', id: '' }]),
      at: 'data.disks.0.type',
      says: /No disk type named tape/,
    },
    {
      what: 'an unknown type of system disk',
      on,
      change: ({ node }: Data) => void (node.disk_type = 'tape'),
      at: 'data.node.disk_type',
      says: /No disk (type|performance) named tape/,
    },
  ]),
  {
    what: 'a disk smaller than the image of the stack',
    on: 'aws',
    change: ({ server }) => void (server.volume_size = 99),
    image: { arch: null, disk: 100 },
    at: 'data.server.volume_size',
    says: /At least 100 GB for this image/,
  },
  {
    what: 'a marketplace image without its SKU',
    on: 'azure',
    change: (data) =>
      Object.assign(data.marketplace_image_reference, { publisher: 'almalinux', offer: 'almalinux-x86_64' }),
    at: 'data.marketplace_image_reference.sku',
    says: /Enter the SKU/,
  },
  {
    what: 'premium disks on a size without them',
    on: 'azure',
    change: ({ server }) =>
      Object.assign(server, { instance_id: 'Standard_D2_v2', disk_type: 'Premium_LRS' }),
    at: 'data.server.disk_type',
    says: /Standard_D2_v2 does not support Premium_LRS disks/,
  },
  {
    what: 'persistent disks on a family that only supports hyperdisks',
    on: 'gcp',
    change: ({ server }) => Object.assign(server, { instance_id: 'n4-standard-8', disk_type: 'pd-ssd' }),
    at: 'data.server.disk_type',
    says: /does not support pd-ssd disks/,
  },
  {
    what: 'hyperdisks on a family without them',
    on: 'gcp',
    change: ({ server }) => void (server.disk_type = 'hyperdisk-balanced'),
    at: 'data.server.disk_type',
    says: /does not support hyperdisk-balanced disks/,
  },
  {
    what: 'a disk type for machines with built-in disks',
    on: 'maas',
    change: ({ server }) => void (server.volume_size = 100),
    at: 'data.server.volume_size',
    says: /built-in disks/,
  },
  {
    what: 'additional disks on machines with built-in disks',
    on: 'maas',
    change: (data) => void (data.disks = [{ name: 'data', size: 100, type: '', id: '' }]),
    at: 'data.disks',
    says: /built-in disks/,
  },
]

itReportsImpossible(cases)
