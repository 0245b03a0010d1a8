import { cloudNetworkBehaviors } from '../../test/support/machines/cloud-network'

// The default network of AWS and Oracle: the head node and the nodes in two subnets of one range. network.soak.slurm.iptables.systemd
// has the others.
cloudNetworkBehaviors('two subnets', {
  networks: ['10.77.0.0/16'],
  head: { address: '10.77.0.5', length: 17, gateway: '10.77.0.1' },
  nodes: { address: '10.77.128', length: 17, gateway: '10.77.128.1' },
})
