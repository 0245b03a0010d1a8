import type { AcmMachine } from '@flotilla/contract/clouds/acm'
import type { MaasClient } from '../providers/maas/client'

const machine = (number: number): AcmMachine => {
  const gpu = number > 8
  return {
    id: `sim${number}`,
    hostname: `simulated${number}`,
    status: 'Ready',
    pool: 'default',
    zone: 'default',
    tags: gpu ? ['compute', 'gpu'] : ['compute'],
    cores: gpu ? 64 : 32,
    memory: gpu ? 512 : 128,
    architecture: 'amd64',
    power: 'off',
    owner: '',
  }
}

/** A small fictional site, which the simulated cloud presents as MAAS. */
export const simulatedMaas = (): MaasClient => ({
  machines: async () => Array.from({ length: 10 }, (_none, index) => machine(index + 1)),
  images: async () => [
    { id: 'ubuntu/jammy', name: '22.04 LTS', architecture: 'amd64', type: 'Synced' },
    { id: 'ubuntu/noble', name: '24.04 LTS', architecture: 'amd64', type: 'Synced' },
    { id: 'centos/centos70', name: 'CentOS 7', architecture: 'amd64', type: 'Synced' },
  ],
  release: async () => {},
})
