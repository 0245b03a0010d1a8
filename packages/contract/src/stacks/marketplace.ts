import * as z from 'zod/mini'
import { GpuSoftware, Manager } from '../clusters/inputs'
import { MARKETPLACE_MIN_VOLUME, NODE_COUNT } from '../limits'

export const platforms = ['aws', 'azure', 'gcp'] as const
export const targets = ['higher-education', 'research', 'industry', 'government', 'k-12'] as const

/** A prebuilt HPC or AI stack, ready to be launched as a cluster. */
export const MarketplaceEntry = z.object({
  id: z.number(),
  /** A file that is part of the console. */
  logo: z.string(),
  name: z.string(),
  vendor: z.string(),
  vendor_link: z.string(),
  version: z.string(),
  platform: z.enum(platforms),
  description: z.string(),
  /** Entries with `Soon` cannot be launched. */
  action: z.enum(['Launch', 'Soon']),
  status: z.literal('available'),
  target: z.array(z.enum(targets)),
  config: z.object({
    resource_manager: Manager,
    /** The first one is the default, as for the sizes of the head node and the nodes. */
    os_types: z.array(z.string()),
    provider: z.enum(platforms),
    server_prefix: z.string(),
    node_prefix: z.string(),
    instance_type: z.array(z.string()),
    computeNodeSize: z.array(z.string()),
    /** GB. */
    min_volume: z.number(),
    node_count: z.number(),
    moreInfo_link: z.string(),
    /** Pages that document the images. */
    head_image_link: z.string(),
    compute_image_link: z.string(),
    /** Only ids with a documented source. Without one, the provider's public image of the system is used. */
    marketplace_images: z.record(
      z.string(),
      z.object({ head_image_id: z.string(), compute_image_id: z.string() }),
    ),
    allowed_regions: z.array(z.string()),
    /** If empty, the cloud chooses. */
    allowed_zones: z.array(z.string()),
    /** The initial zone: not every zone has every size. If empty, the first zone is used. */
    start_zone: z.string(),
    gpu_software: GpuSoftware,
    publisher: z.string(),
    offer: z.string(),
    sku: z.string(),
    marketplace_image_version: z.string(),
    key_name: z.string(),
    tags: z.record(z.string(), z.string()),
  }),
})
export type MarketplaceEntry = z.infer<typeof MarketplaceEntry>
type Config = MarketplaceEntry['config']

// Regions and sizes are from section 9 of the specification.
const awsRegions = [
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
  'ca-central-1',
  'eu-central-1',
  'eu-west-1',
  'us-gov-east-1',
]
const awsTypes = ['t2.large', 't2.xlarge', 't2.2xlarge', 'c5n.9xlarge']
const awsArmTypes = ['t4g.large', 't4g.xlarge', 't4g.2xlarge', 'c6g.8xlarge', 'c6gn.16xlarge']
const azureTypes = [
  'Standard_DS3_v2',
  'Standard_DS4_v2',
  'Standard_DS5_v2',
  'Standard_HC44rs',
  'Standard_HB120rs_v3',
]
const gcpTypes = [
  'n1-standard-8',
  'n1-standard-16',
  'n1-standard-32',
  'n1-standard-64',
  'n1-standard-96',
  'a2-highgpu-2g',
  'c3-standard-44',
  'c3-standard-88',
  'c3-standard-176',
  'h3-standard-88',
]

const ubuntu = {
  vendor: 'Canonical',
  vendor_link: 'https://ubuntu.com/',
} as const
/** Canonical's list of its images for every cloud. */
const images = 'https://cloud-images.ubuntu.com/'
const slurm = 'https://slurm.schedmd.com/quickstart.html'

/** What all entries share: they run our own cloud-init on a system's public image, so they need no image id. */
const common = {
  resource_manager: 'slurm',
  server_prefix: 'head',
  node_prefix: 'node',
  min_volume: MARKETPLACE_MIN_VOLUME,
  node_count: NODE_COUNT,
  moreInfo_link: slurm,
  marketplace_images: {},
  publisher: '',
  offer: '',
  sku: '',
  marketplace_image_version: '',
  key_name: '',
  start_zone: '',
  gpu_software: 'driver',
} as const satisfies Partial<Config>

const aws = {
  ...common,
  provider: 'aws',
  os_types: ['ubuntu-24.04', 'ubuntu-22.04'],
  instance_type: awsTypes,
  computeNodeSize: awsTypes,
  head_image_link: images,
  compute_image_link: images,
  allowed_regions: awsRegions,
  allowed_zones: [],
} satisfies Partial<Config>
const azure = {
  ...common,
  provider: 'azure',
  os_types: ['ubuntu-22.04', 'ubuntu-24.04'],
  instance_type: azureTypes,
  computeNodeSize: azureTypes,
  head_image_link: images,
  compute_image_link: images,
  allowed_regions: ['westus', 'eastus'],
  allowed_zones: [],
} satisfies Partial<Config>
const gcp = {
  ...common,
  provider: 'gcp',
  os_types: ['ubuntu-22.04', 'ubuntu-24.04'],
  instance_type: gcpTypes,
  computeNodeSize: gcpTypes,
  head_image_link: images,
  compute_image_link: images,
  allowed_regions: ['us-west1'],
  allowed_zones: ['us-west1-a', 'us-west1-b', 'us-west1-c'],
} satisfies Partial<Config>

/** The built-in catalog. */
export const marketplace: readonly MarketplaceEntry[] = [
  {
    id: 0,
    logo: '/marketplace/slurm.svg',
    name: 'Slurm on AWS',
    ...ubuntu,
    version: '24.04',
    platform: 'aws',
    description:
      'A Slurm cluster with 2 to 36 cores per node. It adds nodes when jobs are waiting and removes idle ones.',
    action: 'Launch',
    status: 'available',
    target: ['higher-education', 'research', 'industry'],
    config: { ...aws, tags: { stack: 'slurm' } },
  },
  {
    id: 1,
    logo: '/marketplace/arm.svg',
    name: 'Slurm on AWS Graviton',
    ...ubuntu,
    version: '24.04',
    platform: 'aws',
    description:
      'A Slurm cluster with Arm processors, for software built for Arm, with 2 to 64 cores per node.',
    action: 'Launch',
    status: 'available',
    target: ['research', 'industry'],
    config: {
      ...aws,
      instance_type: awsArmTypes,
      computeNodeSize: awsArmTypes,
      tags: { stack: 'slurm-arm' },
    },
  },
  {
    id: 2,
    logo: '/marketplace/mpi.svg',
    name: 'MPI cluster on Azure',
    ...ubuntu,
    version: '22.04',
    platform: 'azure',
    description:
      'A Slurm cluster with Azure’s HC and HB sizes for jobs that span many nodes, and smaller sizes to prepare them on.',
    action: 'Launch',
    status: 'available',
    target: ['research', 'industry', 'government'],
    config: { ...azure, tags: { stack: 'mpi' } },
  },
  {
    id: 3,
    logo: '/marketplace/slurm.svg',
    name: 'Slurm on Google Cloud',
    ...ubuntu,
    version: '22.04',
    platform: 'gcp',
    description: 'A Slurm cluster with 8 to 176 cores per node, including the c3 and h3 machine series.',
    action: 'Launch',
    status: 'available',
    target: ['higher-education', 'research'],
    config: { ...gcp, tags: { stack: 'slurm' } },
  },
  {
    id: 4,
    logo: '/marketplace/gpu.svg',
    name: 'AI training on Google Cloud',
    ...ubuntu,
    version: '22.04',
    platform: 'gcp',
    description:
      'A small head node and nodes with two A100 GPUs each. Nodes install the NVIDIA driver and CUDA when they start, which takes about ten minutes.',
    action: 'Launch',
    status: 'available',
    target: ['research', 'industry'],
    config: {
      ...gcp,
      instance_type: gcpTypes.filter((type) => type.startsWith('n1-')),
      computeNodeSize: ['a2-highgpu-2g'],
      // The only one of the three with A100 GPUs: cloud.google.com/compute/docs/gpus/gpu-regions-zones
      start_zone: 'us-west1-b',
      gpu_software: 'cuda',
      tags: { stack: 'ai' },
    },
  },
  {
    id: 5,
    logo: '/marketplace/class.svg',
    name: 'Teaching lab on Azure',
    ...ubuntu,
    version: '22.04',
    platform: 'azure',
    description: 'Small nodes and a ready-made course for classes that are new to batch jobs.',
    action: 'Soon',
    status: 'available',
    target: ['k-12', 'higher-education'],
    config: { ...azure, tags: { stack: 'teaching' } },
  },
  {
    id: 6,
    logo: '/marketplace/desktop.svg',
    name: 'Remote desktops on AWS',
    ...ubuntu,
    version: '24.04',
    platform: 'aws',
    description: 'Nodes with a remote desktop in the browser, to view results without downloading them.',
    action: 'Soon',
    status: 'available',
    target: ['industry', 'government', 'research'],
    config: { ...aws, tags: { stack: 'desktop' } },
  },
]
