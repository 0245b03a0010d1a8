import { cloudNetworkBehaviors } from '../../test/support/machines/cloud-network'

// As on Google Cloud, where machines are not told the range that their address belongs to.
cloudNetworkBehaviors('addresses of /32', {
  networks: ['10.128.0.0/20'],
  head: { address: '10.128.0.5', length: 32, gateway: '10.128.0.1' },
  nodes: { address: '10.128.4', length: 32, gateway: '10.128.0.1' },
})

cloudNetworkBehaviors('a given subnet', {
  networks: ['172.31.16.0/20', '192.168.0.0/16'],
  head: { address: '172.31.16.5', length: 20, gateway: '172.31.16.1' },
  nodes: { address: '172.31.31', length: 20, gateway: '172.31.16.1' },
})

cloudNetworkBehaviors(
  'two subnets with systemd',
  {
    networks: ['10.77.0.0/16'],
    head: { address: '10.77.0.5', length: 17, gateway: '10.77.0.1' },
    nodes: { address: '10.77.128', length: 17, gateway: '10.77.128.1' },
  },
  'systemd',
)
