import { networkInterfaces } from 'node:os'
import { forbiddenIpv4 } from '../../network/outgoing'

/**
 * The network of a sandbox. It has its own loopback, so no service on this machine can be reached from it: not the
 * console, not its database, not the services of other users. Other machines are reached through an uplink
 * (slirp4netns), which needs no privileges and no change to the machine's network; without it there is no access.
 */

interface Destination {
  address: string
  port: number
}

export interface Network {
  /** The machine's own network, with everything that can be reached from it. */
  machine: boolean
  /** Blocked destinations besides this machine's own addresses and those that clouds reserve, such as metadata. */
  block: readonly Destination[]
}

export const closedNetwork: Network = { machine: false, block: [] }

/** The network of a sandbox: the machine's, its own with an uplink, or its own without one. */
export type NetworkKind = 'machine' | 'uplink' | 'loopback'
export const kindOf = ({ machine }: Network, canUplink: boolean): NetworkKind =>
  machine ? 'machine' : canUplink ? 'uplink' : 'loopback'

/** The uplink's DNS server. */
export const UPLINK_NAME_SERVER = '10.0.2.3'
const DEVICE = 'tap0'

/** The `ip -batch` commands that set up the sandbox's network before anything runs in it, which cannot change it. */
export function networkCommands({ block }: Network): string {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  // The loopback device can have addresses that others use. 127/8 is left to the sandbox's own loopback.
  const addresses = own.filter(({ family, address }) => family === 'IPv4' && !address.startsWith('127.'))
  // In its own network, 0.0.0.0 is the sandbox itself.
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
 * Starts the uplink and then execs the command that creates the sandbox, so that the uplink is its child and ends with
 * it. The uplink waits until the command has left the machine's network.
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

/** Runs in the sandbox and waits for the uplink, so that a job can use the network immediately. */
export const awaitUplink = `up= tries=0
while [ -z "$up" ]; do
  while read -r device to more; do
    [ "$device $to" = '${DEVICE} 00000000' ] && up=1
  done </proc/net/route
  tries=$((tries + 1))
  [ "$tries" -lt 1000 ] || fail 'the sandbox network did not come up'
  [ -n "$up" ] || sleep 0.005
done`
