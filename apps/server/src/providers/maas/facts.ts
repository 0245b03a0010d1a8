import { plain, secret } from '../authentication'
import { makeFacts } from '../facts'
import { cidr, ipv4, maasShape, maasZone, networkInterface } from '../fields/formats'

const ownDisks = { refuse: 'MAAS machines use their built-in disks.' }
const noBuild = { refuse: 'MAAS deploys its own images, so none are built.' }
const shape = {
  label: 'Shape',
  required: false,
  help: 'Use machines with a tag or in a pool, such as tag:gpu or pool:default. Leave empty to use any.',
  format: maasShape,
}
const cores = { label: 'Cores', help: 'The minimum number. 0 means any.', unit: 'cores', when: undefined }
const memory = { help: 'The minimum amount. 0 means any.', when: undefined }
const noStoreImage = 'The MAAS image store does not have one. Add an image to your MAAS and enter its name.'

export const maasFacts = makeFacts({
  id: 'maas',
  authentications: [
    plain('api_url', 'API URL', {
      icon: 'link',
      address: true,
      help: 'The URL of your MAAS, such as http://maas.example.org:5240/MAAS.',
    }),
    secret('api_key', 'API key', {
      help: 'Three parts separated by colons, from your MAAS preferences.',
    }),
  ],
  cluster: {
    'data.network.zone_name': { fromAccount: true, format: maasZone },
    'data.server.instance_id': shape,
    'data.server.ocpus': cores,
    'data.server.mem': memory,
    'data.server.volume_size': ownDisks,
    'data.server.disk_type': ownDisks,
    'data.server.image_name': {
      help: 'An image in your MAAS. Defaults to the image of the operating system.',
    },
    'data.server.isPrivate': { refuse: 'MAAS machines never have a public address.' },
    'data.node.volume_size': ownDisks,
    'data.node.disk_type': ownDisks,
    'data.network.network_id': {
      label: 'Network interface',
      help: 'The network interface on the subnet, such as eno1. Required with a subnet or an address.',
      format: networkInterface,
    },
    'data.network.fip_address': {
      help: 'The address at which the head node is reached from outside, if it differs from its own.',
      format: ipv4,
    },
    'data.network.subnet_id': {
      fromAccount: true,
      help: 'The address range of the machines’ subnet. Leave empty to use any.',
      format: cidr,
    },
  },
  group: { instance_id: shape, ocpus: cores, mem: memory },
  stack: {
    'data.instance_id': noBuild,
    'data.source_image': {
      required: true,
      help: 'The MAAS image that clusters of this stack start from.',
    },
    'data.prefix': { required: false },
    'data.minimal': noBuild,
    'data.image_gpu_software': noBuild,
    'data.customize_image': noBuild,
    'data.proxy': noBuild,
    'data.subnet_id': noBuild,
    'data.isPrivate': noBuild,
  },
  refuses: {
    'data.disks': ownDisks.refuse,
    fsr: 'Fast snapshot restore is available only on AWS.',
  },
  headSubnet: null,
  noImage: { 'rocky-8': noStoreImage, 'rocky-9': noStoreImage, 'debian-12': noStoreImage },
})
