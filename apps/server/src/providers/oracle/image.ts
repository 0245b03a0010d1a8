import { createPrivateKey } from 'node:crypto'
import { isAtLeast } from '../../engines/versions'
import {
  given,
  keyUserData,
  tagsWith,
  user,
  defaultAccounts,
  type ImageBuild,
  type ImageBuilder,
  type MakeVariable,
} from '../image/image'
import type { CredentialData } from '../fields/credential-data'
import { isFlexible, publicImages } from './images'

const KEY_FILE = 'cloud-key.pem'
const DEFAULT_GB_PER_OCPU = 16

function source({ data }: ImageBuild, variable: MakeVariable) {
  if (data.source_image) return { base_image_ocid: variable('source_image', data.source_image) }
  return {
    base_image_filter: { ...publicImages[data.source_os_type], shape: variable('size', data.instance_id) },
  }
}

function flexible({ data }: ImageBuild, variable: MakeVariable) {
  if (!isFlexible(data.instance_id)) return {}
  const ocpus = data.ocpus || 1
  return {
    shape_config: {
      ocpus: variable('ocpus', ocpus),
      memory_in_gbs: variable('memory', data.mem || DEFAULT_GB_PER_OCPU * ocpus),
    },
  }
}

/** Converts a key to the older format (PKCS #1), the only one that every version of Packer can read. */
function olderForm(key: string): string {
  const text = key.replaceAll(String.raw`\n`, '\n')
  try {
    return createPrivateKey(text).export({ type: 'pkcs1', format: 'pem' }).toString()
  } catch {
    // Packer then reports what is wrong with the key.
    return text
  }
}

export const imageBuilder: ImageBuilder = {
  builder: (build, variable) => ({
    type: 'oracle-oci',
    user_ocid: user('oci_user'),
    tenancy_ocid: user('oci_tenancy'),
    fingerprint: user('oci_fingerprint'),
    compartment_ocid: user('oci_compartment'),
    key_file: KEY_FILE,
    region: variable('region', build.data.region_id),
    availability_domain: variable('zone', build.data.zone_id),
    shape: variable('size', build.data.instance_id),
    image_name: variable('image_name', build.name),
    subnet_ocid: variable('subnet', build.data.subnet_id),
    use_private_ip: build.data.isPrivate,
    ...source(build, variable),
    ...flexible(build, variable),
    ...given({ disk_size: build.data.disk_size && variable('disk_size', build.data.disk_size) }),
    user_data: variable('user_data', Buffer.from(keyUserData(build.sshPublicKey)).toString('base64')),
    instance_tags: tagsWith(variable, 'build', build.buildTags),
    tags: tagsWith(variable, 'image', build.imageTags),
  }),
  secrets: {
    oci_user: 'OCI_USER_OCID',
    oci_tenancy: 'OCI_TENANCY_OCID',
    oci_fingerprint: 'OCI_FINGERPRINT',
    oci_compartment: 'OCI_COMPARTMENT_OCID',
  },
  environment: ({
    user_ocid = '',
    tenancy_ocid = '',
    compartment_ocid = '',
    fingerprint = '',
  }: CredentialData) => ({
    OCI_USER_OCID: user_ocid,
    OCI_TENANCY_OCID: tenancy_ocid,
    OCI_FINGERPRINT: fingerprint,
    OCI_COMPARTMENT_OCID: compartment_ocid,
  }),
  files: ({ key_file = '' }) => [{ path: KEY_FILE, data: olderForm(key_file) }],
  imageIn: (artifact, { region_id }) => ({ id: artifact, region: region_id }),
  username: (osType) => defaultAccounts[osType] ?? 'opc',
  publicImage(osType) {
    const image = publicImages[osType]
    return image
      ? { image: `${image.operating_system} ${image.operating_system_version}`, publisher: 'Oracle' }
      : null
  },
  tooOld: ({ instance_id }, version) =>
    isFlexible(instance_id) && !isAtLeast(version, 1, 7)
      ? `Packer ${version} does not support flexible shapes. Choose another size, or install Packer 1.7 or newer.`
      : null,
}
