import { networkInterfaces } from 'node:os'
import { forbiddenIpv4 } from '../../network/outgoing'

/**
 * The network of a sandbox. It has a loopback of its own, so nothing that listens on this machine can be reached from
 * it: not the console, not its database, not what others run. The way out is an uplink (slirp4netns), which needs no
 * rights and no change to the machine's own network; without that program there is none.
 */

interface Destination {
  address: string
  port: number
}

export interface Network {
  /** The machine's own network, with everything that can be reached from it. */
  machine: boolean
  /** What cannot be reached besides this machine's own addresses and those that clouds keep for their machines. */
  block: readonly Destination[]
}

export const closedNetwork: Network = { machine: false, block: [] }

/** What a sandbox's network is: the machine's, its own with a way out, or its own without. */
export type NetworkKind = 'machine' | 'uplink' | 'loopback'
export const kindOf = ({ machine }: Network, canUplink: boolean): NetworkKind =>
  machine ? 'machine' : canUplink ? 'uplink' : 'loopback'

/** Where the uplink answers questions for names. */
export const UPLINK_NAME_SERVER = '10.0.2.3'
const DEVICE = 'tap0'

/** For `ip -batch`: what is set in the sandbox's own network before anything runs there. No one in it can change it. */
export function networkCommands({ block }: Network): string {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  // Addresses that others use can be on the loopback device too. What 127/8 is, the sandbox's own loopback decides.
  const addresses = own.filter(({ family, address }) => family === 'IPv4' && !address.startsWith('127.'))
  // In a network of its own 0.0.0.0 is the sandbox itself.
  const networks = forbiddenIpv4().filter((network) => !network.startsWith('0.'))
  return [
    'link set lo up',
    ...new Set(
      [...addresses.map(({ address }) => address), ...networks].map((to) => `route add prohibit ${to}`),
    ),
    ...block
      .filter(({ address }) => !address.includes(':'))
      .map(({ address, port }) => `rule add to ${address} ipproto tcp dport ${port} prohibit`),
    '',
  ].join('\n')
}

/**
 * Before the command that makes the sandbox: starts the uplink beside it. Becomes the command, so that the uplink is
 * its child and ends with it. The uplink waits until the command has left the machine's network.
 */
export const withUplink = `setpriv --pdeathsig KILL -- sh -c '
tries=0
while [ "/proc/$1/ns/net" -ef /proc/self/ns/net ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 1000 ] || exit 1
  sleep 0.005
done
exec slirp4netns --configure --mtu=65520 --disable-host-loopback "$1" ${DEVICE}
' uplink $$ </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
exec "$@"
`

/** In the sandbox: waits for the uplink, so that the first thing a job does may be a download. */
export const awaitUplink = `up= tries=0
while [ -z "$up" ]; do
  while read -r device to more; do
    [ "$device $to" = '${DEVICE} 00000000' ] && up=1
  done </proc/net/route
  tries=$((tries + 1))
  [ "$tries" -lt 1000 ] || fail 'the sandbox network did not come up'
  [ -n "$up" ] || sleep 0.005
done`
