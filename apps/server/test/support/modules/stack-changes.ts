import type { ProviderId } from '@flotilla/contract/site/config'
import type { StackInput } from '@flotilla/contract/stacks/entity'
import { stackInputOf } from './image-build'

/** Values of fields for which not every text is valid. */
const values: Record<string, unknown> = {
  name: 'Another',
  description: '${file("/etc/passwd")} {{env `HOME`}}',
  builder: 'market',
  provider: 'maas',
  credential_id: '2',
  collaborators: ['someone'],
  'data.manager': 'torque',
  'data.image_gpu_software': 'driver',
  'data.prefix': 'other',
  'data.proxy': 'http://proxy.example.org:3128',
  'data.ssh_username': 'someone',
  'data.source_os_type': 'ubuntu-24.04',
  'data.disk_size': 120,
  'data.volume_size': 120,
  'data.ocpus': 4,
  'data.mem': 64,
  'rhel.activation_key': 'a-key-of-red-hat',
  'rhel.organization_id': '12345',
}
/** Values that differ between providers. */
const valuesByProvider: Partial<Record<ProviderId, Record<string, unknown>>> = {
  aws: {
    'data.type': 'io1',
    'data.region_id': 'eu-west-1',
    'data.instance_id': 'c5n.9xlarge',
    'data.zone_id': 'us-east-1a',
    'data.source_image': 'ami-0123456789abcdef0',
    'data.vpc_id': 'vpc-0123456789abcdef0',
    'data.subnet_id': 'subnet-0123456789abcdef0',
    'data.security_group_id': 'sg-0123456789abcdef0',
  },
  azure: {
    'data.type': 'Premium_LRS',
    'data.region_id': 'westus',
    'data.instance_id': 'Standard_DS3_v2',
    'data.subnet_network_id': 'network',
    'data.subnet_id': 'subnet',
  },
  gcp: {
    'data.type': 'pd-ssd',
    'data.region_id': 'us-east1',
    'data.zone_id': 'us-west1-b',
    'data.instance_id': 'n1-standard-16',
    'data.service_account': 'a@project.iam.gserviceaccount.com',
  },
  oracle: {
    'data.region_id': 'us-ashburn-1',
    'data.zone_id': 'PHX-AD-2',
    'data.instance_id': 'VM.Standard2.2',
    'data.source_image': 'ocid1.image.oc1.phx.x',
    'data.subnet_id': 'ocid1.subnet.oc1.phx.other',
  },
}

/** Sets other fields that a field depends on. */
const prerequisites: Record<string, (input: StackInput, provider: ProviderId) => void> = {
  'data.source_image_publisher': fromMarketplace,
  'data.source_image_offer': fromMarketplace,
  'data.source_image_sku': fromMarketplace,
  'data.source_resource_group_name': ({ data }) => (data.source_image = 'golden'),
  'data.ocpus': flexible,
  'data.mem': flexible,
  'data.subnet_id': ({ data }, provider) => {
    if (provider === 'azure') data.subnet_network_id = 'network'
  },
  'data.isPrivate': ({ data }, provider) => {
    if (provider === 'azure') data.subnet_network_id = 'network'
  },
}
function fromMarketplace({ data }: StackInput) {
  Object.assign(data, { source_image_publisher: 'them', source_image_offer: 'it', source_image_sku: 'one' })
}
function flexible({ data }: StackInput, provider: ProviderId) {
  if (provider === 'oracle') data.instance_id = 'VM.Standard.E4.Flex'
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** A stack of a provider, and the same stack with one field changed; a field for files gets a file in `files`. */
export function stackChanges(provider: ProviderId, at: string) {
  const base = stackInputOf(provider)
  prerequisites[at]?.(base, provider)
  const input = structuredClone(base)
  const files = at.startsWith('provision.')
    ? [{ field: at.slice('provision.'.length), name: 'file', bytes: Buffer.from('echo hello\n') }]
    : []
  if (files.length === 0) {
    const steps = at.split('.')
    const last = steps.pop() ?? ''
    let holder: unknown = input
    for (const step of steps) holder = isObject(holder) ? holder[step] : undefined
    if (!isObject(holder)) throw new Error(`there is no field ${at}`)
    const before = holder[last]
    holder[last] =
      valuesByProvider[provider]?.[at] ?? values[at] ?? (typeof before === 'boolean' ? !before : 'changed')
  }
  return { base, input, files }
}
