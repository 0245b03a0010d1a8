import { createHash, randomBytes } from 'node:crypto'
import { BlockList, isIPv4 } from 'node:net'
import { VPN_PORT } from '../../../cloud-init/scripts/firewall'

/** A key in OpenVPN's own file format: 2048 bits, all of which both sides use. */
export function makeTlsKey(): string {
  const hex = randomBytes(256).toString('hex')
  return `-----BEGIN OpenVPN Static key V1-----\n${hex.replaceAll(/.{32}/g, '$&\n')}-----END OpenVPN Static key V1-----\n`
}

/** The address range of the clients: a different one for each cluster, so that a client can connect to two of them. */
export function clientNetwork(clusterId: string): { address: string; cidr: string } {
  const [third = 0] = createHash('sha256').update(clusterId).digest()
  const address = `10.98.${third}.0`
  return { address, cidr: `${address}/24` }
}

const inline = (name: string, text: string) => `<${name}>\n${text.trimEnd()}\n</${name}>`
const MASK = '255.255.255.0'

/** A network such as 10.77.0.0/16 in OpenVPN's notation. */
function route(cidr: string): string {
  const [address = '', length = '32'] = cidr.split('/')
  if (!isIPv4(address) || !/^\d+$/.test(length) || Number(length) > 32)
    throw new Error(`${cidr} is not a network that a VPN can route to`)
  const mask = Number(length) === 0 ? 0 : (0xffffffff << (32 - Number(length))) >>> 0
  const dotted = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join('.')
  const number = address.split('.').reduce((all, part) => ((all << 8) | Number(part)) >>> 0, 0)
  return `${dotted((number & mask) >>> 0)} ${dotted(mask)}`
}

/** Only options that every version since 2.4 understands. */
const common = [
  'dev tun',
  'proto udp',
  'persist-key',
  'persist-tun',
  'tls-version-min 1.2',
  'auth SHA256',
  'verb 3',
]

type Keys = { ca: string; certificate: string; key: string; tlsKey: string }
const keys = ({ ca, certificate, key, tlsKey }: Keys) => [
  inline('ca', ca),
  inline('cert', certificate),
  inline('key', key),
  inline('tls-crypt', tlsKey),
]

/** The complete server configuration, including its keys. */
export const serverConfig = (
  given: Keys & { clusterId: string; networks: string[]; revocations: string },
): string =>
  [
    ...common,
    `port ${VPN_PORT}`,
    'topology subnet',
    `server ${clientNetwork(given.clusterId).address} ${MASK}`,
    // A user may connect from two machines at once.
    'duplicate-cn',
    'keepalive 10 60',
    'dh none',
    'ecdh-curve prime256v1',
    'remote-cert-tls client',
    ...given.networks.map((network) => `push "route ${route(network)}"`),
    ...keys(given),
    inline('crl-verify', given.revocations),
    '',
  ].join('\n')

/** Everything that a client needs, in one file. */
export const clientProfile = (given: Keys & { about: string[]; host: string; serverName: string }): string =>
  [
    ...given.about.map((line) => `# ${line.replaceAll(/\s+/g, ' ')}`),
    'client',
    ...common,
    `remote ${given.host} ${VPN_PORT}`,
    'resolv-retry infinite',
    'nobind',
    'remote-cert-tls server',
    `verify-x509-name ${given.serverName} name`,
    ...keys(given),
    '',
  ].join('\n')

/** Whether an address is in one of the networks. */
export function isInside(networks: string[], address: string): boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [base = '', length = '32'] = network.split('/')
    if (isIPv4(base)) list.addSubnet(base, Number(length))
  }
  return isIPv4(address) && list.check(address)
}
