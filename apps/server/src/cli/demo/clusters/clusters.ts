import type { api } from '@flotilla/contract/api'
import type { Sent } from '@flotilla/contract/endpoint'
import type { ProviderId } from '@flotilla/contract/site/config'

type CloudData = NonNullable<Sent<typeof api.clusters.create>['body']['data']>
type Bursting = NonNullable<NonNullable<Sent<typeof api.clusters.create>['body']['info']>['bursting']>

export type DemoCluster = {
  name: string
  description: string
  provider: ProviderId
  owner: string
  collaborators: string[]
  bursting: Bursting
  data: CloudData
  /** How long ago it was created, in days. */
  since: number
  /** The state in which it ended, and how many days ago. */
  end?: { state: 'stopped' | 'failed'; daysAgo: number }
  /** Its prices were higher by this factor until this many days ago. */
  earlierPrice?: { factor: number; untilDaysAgo: number }
  /** The period without records, in days ago. */
  gap?: { from: number; to: number; reason: string }
  /** An account that submits jobs without the console. */
  serviceAccount?: string
}

const alwaysOn: Bursting = { mode: 'off', burstOnDeploy: true }

/** Two healthy clusters, one that bursts, one that failed and one that is stopped. */
export const clusters: DemoCluster[] = [
  {
    name: 'Aurora',
    description: 'General-purpose cluster for all groups',
    provider: 'aws',
    owner: 'grace',
    collaborators: ['tomasz', 'amina', 'lars', 'priya', 'fatima'],
    bursting: alwaysOn,
    since: 180,
    earlierPrice: { factor: 1.09, untilDaysAgo: 24 },
    serviceAccount: 'svc-ingest',
    data: {
      manager: 'slurm',
      network: { region_id: 'eu-west-1', zone_id: 'eu-west-1a' },
      server: { instance_id: 't3.large', volume_size: 100, disk_type: 'gp3' },
      node: { group: [{ count: 6, instance_id: 'c5.2xlarge' }], volume_size: 80, disk_type: 'gp3' },
      disks: [
        { name: 'data', size: 4000, type: 'gp3' },
        { name: 'scratch', size: 1000, type: 'gp3' },
      ],
      tags: { project: 'shared', cost_center: 'rc-100' },
    },
  },
  {
    name: 'Tensor',
    description: 'GPU cluster for machine learning',
    provider: 'gcp',
    owner: 'maria',
    collaborators: ['chenwei', 'sofia', 'leilani', 'kenji'],
    bursting: alwaysOn,
    since: 95,
    data: {
      manager: 'slurm',
      network: { region_id: 'us-central1', zone_id: 'us-central1-a' },
      server: { instance_id: 'n1-standard-8', volume_size: 200, disk_type: 'pd-balanced' },
      node: {
        group: [{ count: 3, instance_id: 'g2-standard-24' }],
        volume_size: 100,
        disk_type: 'pd-balanced',
      },
      disks: [{ name: 'datasets', size: 6000, type: 'pd-balanced' }],
      tags: { project: 'ml' },
    },
  },
  {
    name: 'Nimbus',
    description: 'Autoscaling cluster for courses and peak demand',
    provider: 'azure',
    owner: 'grace',
    collaborators: ['maria', 'noah', 'fatima'],
    bursting: { mode: 'min', burstOnDeploy: true },
    since: 120,
    gap: { from: 17.2, to: 15.7, reason: 'The disk with the accounting log was full.' },
    data: {
      manager: 'torque',
      network: { region_id: 'eastus' },
      server: { instance_id: 'Standard_D4s_v5' },
      node: { group: [{ count: 8, instance_id: 'Standard_F8s_v2' }], idle_purge_s: 90 },
      disks: [{ name: 'courses', size: 500, type: 'Premium_LRS' }],
    },
  },
  {
    name: 'Helios',
    description: 'Chemistry group',
    provider: 'oracle',
    owner: 'tomasz',
    collaborators: ['sofia'],
    bursting: alwaysOn,
    since: 75,
    end: { state: 'failed', daysAgo: 0.13 },
    data: {
      manager: 'slurm',
      network: { region_id: 'us-ashburn-1', availability_domain: 'US-ASHBURN-AD-1' },
      server: { instance_id: 'VM.Standard.E4.Flex', ocpus: 2, mem: 16 },
      node: { group: [{ count: 3, instance_id: 'VM.Standard.E4.Flex', ocpus: 8, mem: 64 }] },
      disks: [{ name: 'potentials', size: 800 }],
    },
  },
  {
    name: 'Meridian',
    description: 'Stopped unless archived surveys are being reprocessed',
    provider: 'aws',
    owner: 'grace',
    collaborators: ['priya'],
    bursting: alwaysOn,
    since: 160,
    end: { state: 'stopped', daysAgo: 12.4 },
    data: {
      manager: 'torque',
      network: { region_id: 'us-west-2', zone_id: 'us-west-2b' },
      server: { instance_id: 't3.large', volume_size: 100, disk_type: 'gp3' },
      node: { group: [{ count: 4, instance_id: 'c5.4xlarge' }] },
      disks: [{ name: 'surveys', size: 12_000, type: 'gp3' }],
    },
  },
]

/** USD per GB and month, by type. Oracle's are left out, so that the demo shows an unknown price. */
export const diskPrices: Partial<Record<ProviderId, Record<string, number>>> = {
  aws: { gp3: 0.088 },
  gcp: { 'pd-balanced': 0.1 },
  azure: { Premium_LRS: 0.135 },
}

/** Made-up keys: the simulated clouds accept anything. */
const pem = `-----BEGIN PRIVATE KEY-----\n${'RGVtbyBkYXRhOiBubyBrZXk=\n'.repeat(4)}-----END PRIVATE KEY-----\n`

export const credentials: { name: string; provider: ProviderId; data: Record<string, string> }[] = [
  {
    name: 'Research account',
    provider: 'aws',
    data: { access_key: 'AKIADEMO0000DEMO0000', secret_key: 'demo data: no key' },
  },
  {
    name: 'Teaching subscription',
    provider: 'azure',
    data: {
      subscription_id: 'demo-subscription',
      client_id: 'demo',
      tenant_id: 'demo',
      client_secret: 'demo',
    },
  },
  {
    name: 'Machine learning project',
    provider: 'gcp',
    data: {
      type: 'service_account',
      project_id: 'demo-project',
      private_key_id: 'demo',
      private_key: pem,
      client_email: 'console@demo-project.iam.gserviceaccount.com',
      client_id: 'demo',
      auth_uri: 'https://accounts.google.com/o/oauth2/auth',
      token_uri: 'https://oauth2.googleapis.com/token',
      auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
      client_x509_cert_url: 'https://www.googleapis.com/robot/v1/metadata/x509/console',
    },
  },
  {
    name: 'Chemistry tenancy',
    provider: 'oracle',
    data: {
      user_ocid: 'ocid1.user.oc1..demo',
      tenancy_ocid: 'ocid1.tenancy.oc1..demo',
      compartment_ocid: 'ocid1.compartment.oc1..demo',
      key_file: pem,
      fingerprint: '20:3b:97:13:55:1c:5b:0d:d3:37:d8:50:4e:c5:3a:34',
    },
  },
  {
    name: 'Campus MAAS',
    provider: 'maas',
    data: { api_url: 'http://maas.example.org:5240/MAAS', api_key: 'demo:demo:demo' },
  },
]
/** The credential whose keys were revoked, so that its test fails. */
export const REVOKED = 'Campus MAAS'
