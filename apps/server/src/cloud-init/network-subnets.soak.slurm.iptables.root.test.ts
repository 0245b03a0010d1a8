import { cloudNetworkBehaviors } from '../../test/support/machines/cloud-network'

// The default network of AWS and Oracle Cloud: the head node and the nodes are in two subnets of one range.
// network.soak.slurm.iptables.systemd covers the other networks.
cloudNetworkBehaviors('two subnets', {
  networks: ['10.77.0.0/16'],
  head: { address: '10.77.0.5', length: 17, gateway: '10.77.0.1' },
  nodes: { address: '10.77.128', length: 17, gateway: '10.77.128.1' },
})
