import type { CloudResource } from '@flotilla/contract/clusters/cloud'

export const kindNames: Record<CloudResource['kind'], string> = {
  machine: 'Machine',
  volume: 'Disk',
  network: 'Network',
  address: 'Address',
  image: 'Image',
  other: 'Other',
}
