import { plain, secret } from '../authentication'
import type { DiskType, SizeOption } from '@flotilla/contract/clouds/providers'
import { choicesOfDisks } from '../fields/describe'
import { ocid } from '../fields/formats'
import { makeFacts } from '../facts'

/** Oracle's disk types differ only in their performance units. */
const sizes = { min: 50, max: 32_768 }
/** docs.oracle.com/iaas/Content/Block/Concepts/overview.htm and blockvolumeperformance.htm, 2026-11-17. */
const diskTypes: DiskType[] = [
  { id: '10', label: 'Balanced (10)', ...sizes },
  { id: '20', label: 'Higher (20)', ...sizes },
  { id: '30', label: 'Ultra high (30)', ...sizes },
]
const diskType = {
  label: 'Disk performance',
  help: 'Volume performance units per GB. Defaults to balanced.',
  choices: choicesOfDisks(diskTypes),
}
/**
 * docs.oracle.com/iaas/Content/Compute/Tasks/managingclusternetworks.htm lists HPC2, A100-v2, GPU4 and Optimized3 (read
 * 2026-11-17). No source was found for the newer shapes.
 */
const rdma: SizeOption = {
  path: 'rdma',
  sizes: [
    {
      pattern: String.raw`^BM\.(?:HPC2\.36|HPC\.E5\.144|Optimized3\.36|GPU4\.8|GPU\.(?:A100-v2|H100|H200|B200|MI300X)\.8)$`,
      minCores: 0,
    },
  ],
  otherwise: 'has no RDMA network. Choose a BM.HPC or BM.Optimized3 shape, or one with A100 or newer GPUs.',
}
/** Bare metal is never preemptible: docs.oracle.com/iaas/Content/Compute/Concepts/preemptible.htm. */
const spot: SizeOption = {
  path: 'spot',
  sizes: [{ pattern: String.raw`^(?!BM\.)`, minCores: 0 }],
  otherwise: 'is not available as a preemptible machine. Choose a VM shape.',
}
/** The maximum of all shapes. */
const ocpus = { max: 80 }
const mem = { max: 1024 }
/** Oracle can move a reserved address between machines, but OpenTofu can only assign addresses that it created. */
export const NO_OWN_ADDRESS =
  'Leave this empty: a reserved address can be assigned to the head node in Oracle Cloud after it is deployed.'
const ownAddresses = { refuse: NO_OWN_ADDRESS }
const noPlatformImage = 'Oracle Cloud has no platform image for it. Choose Ubuntu, a stack or your own image.'

export const oracleFacts = makeFacts({
  id: 'oracle',
  authentications: [
    plain('user_ocid', 'User OCID', { icon: 'user' }),
    plain('tenancy_ocid', 'Tenancy OCID', { icon: 'building' }),
    plain('compartment_ocid', 'Compartment OCID', { icon: 'folder', help: 'Where everything is created.' }),
    secret('key_file', 'Key file', {
      multiline: true,
      help: 'The private API key in PEM format, including its BEGIN and END lines.',
    }),
    plain('fingerprint', 'Fingerprint', {
      icon: 'fingerprint',
      help: 'The fingerprint of that key, such as 12:34:56:...',
    }),
  ],
  cluster: {
    'data.network.region_id': {},
    'data.network.availability_domain': { required: true, or: 'data.network.zone_id' },
    'data.server.ocpus': {},
    'data.server.mem': {},
    'data.server.disk_type': diskType,
    'data.server.image_name': {
      placeholder: 'ocid1.image.',
      format: ocid('image'),
      fromAccount: true,
      help: 'The OCID of your own image. Defaults to the stack’s image, or the platform image.',
    },
    'data.node.disk_type': diskType,
    'data.network.vcn_id': { fromAccount: true, placeholder: 'ocid1.vcn.', format: ocid('vcn') },
    'data.network.subnet_id': {
      fromAccount: true,
      within: 'data.network.vcn_id',
      placeholder: 'ocid1.subnet.',
      format: ocid('subnet'),
    },
    'data.network.allowed_ranges': { when: { path: 'data.network.security_group_id', is: [''] } },
    'data.network.security_group_id': {
      label: 'Network security group',
      fromAccount: true,
      within: 'data.network.vcn_id',
      placeholder: 'ocid1.networksecuritygroup.',
      format: ocid('networksecuritygroup'),
    },
    'data.network.eip_id': ownAddresses,
    'data.network.fip_address': ownAddresses,
    'data.vcn_cidr': {},
    'data.LPG': {
      fromAccount: true,
      placeholder: 'ocid1.localpeeringgateway.',
      format: ocid('localpeeringgateway'),
    },
    'data.local_cidr': {},
  },
  group: { ocpus: {}, mem: {}, gpu_partition_mode: {}, rdma: {}, spot: { label: 'Preemptible machines' } },
  stack: {
    'data.region_id': {},
    'data.zone_id': { label: 'Availability domain', required: true },
    'data.ocpus': ocpus,
    'data.mem': mem,
    'data.disk_size': {
      help: 'The size of the boot volume, at least 50 GB. 0 uses the source image’s size.',
    },
    'data.source_image': { fromAccount: true, placeholder: 'ocid1.image.', format: ocid('image') },
    'data.subnet_id': {
      fromAccount: true,
      placeholder: 'ocid1.subnet.',
      format: ocid('subnet'),
      required: true,
      help: 'The subnet of the build machine. Oracle Cloud does not create one.',
    },
  },
  refuses: { fsr: 'Fast snapshot restore is available only on AWS.' },
  noImage: {
    'centos-7': noPlatformImage,
    'rocky-8': noPlatformImage,
    'rocky-9': noPlatformImage,
    'debian-12': noPlatformImage,
  },
  diskTypes,
  rootDiskMin: 50,
  diskId: ocid('volume'),
  fileSystems: [{ name: 'File Storage', type: 'nfs', example: '10.0.0.5:/export' }],
  sizeOptions: [rdma, spot],
  headSubnet: { bits: 1, first: 2, last: 1 },
})
