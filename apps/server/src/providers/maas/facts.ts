import { plain, secret } from '../authentication'
import { makeFacts } from '../facts'

const ownDisks = { refuse: 'MAAS machines have the disks that are built into them.' }
const noBuild = { refuse: 'MAAS deploys the images it has: nothing is built.' }
const shape = {
  label: 'Shape',
  required: false,
  help: 'Machines that share a tag or a pool, as in tag:gpu or pool:default; empty takes any.',
}
const cores = { label: 'Cores', help: 'At least so many; 0 takes any.', unit: 'cores', when: undefined }
const memory = { help: 'At least so much; 0 takes any.', when: undefined }
const noStoreImage = 'The image store of MAAS has none: add an image to your MAAS and name it.'

export const maasFacts = makeFacts({
  id: 'maas',
  authentications: [
    plain('api_url', 'API URL', {
      icon: 'link',
      address: true,
      help: 'The address of your MAAS, as in http://maas.example.org:5240/MAAS.',
    }),
    secret('api_key', 'API key', {
      help: 'Three parts with colons between them, from your MAAS preferences.',
    }),
  ],
  cluster: {
    'data.network.zone_name': {},
    'data.server.instance_id': shape,
    'data.server.ocpus': cores,
    'data.server.mem': memory,
    'data.server.volume_size': ownDisks,
    'data.server.disk_type': ownDisks,
    'data.server.image_name': { help: 'An image of your MAAS; empty takes the one of the operating system.' },
    'data.server.isPrivate': { refuse: 'MAAS machines have no public address: there is none to leave out.' },
    'data.node.volume_size': ownDisks,
    'data.node.disk_type': ownDisks,
    'data.network.network_id': {
      label: 'Network interface',
      help: 'The interface of the machines that the subnet is on, as in eno1; needed with a subnet or an address.',
    },
    'data.network.fip_address': {
      help: 'Where the head node is reached from outside, when that is not its own address.',
    },
    'data.network.subnet_id': {
      help: 'The address range of the subnet that the machines are in; empty takes any.',
    },
  },
  group: { instance_id: shape, ocpus: cores, mem: memory },
  stack: {
    'data.instance_id': noBuild,
    'data.source_image': {
      required: true,
      help: 'The image of your MAAS that clusters of this stack start from.',
    },
    'data.prefix': { required: false },
    'data.minimal': noBuild,
    'data.customize_image': noBuild,
    'data.proxy': noBuild,
    'data.subnet_id': noBuild,
    'data.isPrivate': noBuild,
  },
  refuses: {
    'data.disks': ownDisks.refuse,
    fsr: 'Fast snapshot restore exists only on AWS.',
  },
  noImage: { 'rocky-8': noStoreImage, 'rocky-9': noStoreImage, 'debian-12': noStoreImage },
})
