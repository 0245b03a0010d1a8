import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clusterFacts, startCloudCluster, type CloudCluster } from './cloud-cluster'
import type { Place, TestMachine } from './machines'
import { until } from '../until'

interface Layout {
  /** The networks of the cluster that the machines are given. */
  networks: string[]
  head: Place
  /** Its address lacks the last number. */
  nodes: Place
}

/** The firewall of Oracle's images, which accepts only SSH. */
const closedFirewall = `
iptables -A INPUT -m state --state RELATED,ESTABLISHED -j ACCEPT
iptables -A INPUT -i lo -j ACCEPT
iptables -A INPUT -p tcp --dport 22 -j ACCEPT
iptables -A INPUT -j REJECT
iptables -A FORWARD -j REJECT
`
const metadata = '169.254.169.254'

const run = async ([program = '', ...argv]: string[]) => (await promisify(execFile)(program, argv)).stdout

/** Tests that every cloud network must pass, with machines that are namespaces behind a router, and real Slurm. */
export function cloudNetworkBehaviors(
  title: string,
  layout: Layout,
  init: 'systemd' | 'plain' = 'plain',
): void {
  describe(`${title}:`, () => {
    let cluster: CloudCluster
    let nodes: TestMachine[]
    let service: ChildProcess
    beforeAll(async () => {
      const at = (number: number): Place => ({
        ...layout.nodes,
        address: `${layout.nodes.address}.${number}`,
      })
      cluster = await startCloudCluster(clusterFacts({ networks: layout.networks }), init, {
        places: { 'test-head': layout.head, node1: at(11), node2: at(12) },
        image: closedFirewall,
      })
      nodes = await Promise.all(['node1', 'node2'].map(cluster.node))
      await Promise.all(nodes.map(cluster.ready))
      const answer = `require('node:http').createServer((_, reply) => reply.end('the join key')).listen(80, '${metadata}')`
      const [program = '', ...argv] = await cluster.onRouter(metadata, [process.execPath, '-e', answer])
      service = spawn(program, argv, { stdio: 'ignore' })
    })
    afterAll(async () => {
      service?.kill()
      await cluster.stop()
    })
    const outputOf = async (machine: TestMachine, ...argv: string[]) => {
      const { code, stdout, stderr } = await machine.run(argv)
      if (code !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`)
      return stdout.trim()
    }

    const serve = (machine: TestMachine, script: string) =>
      machine.run(['sh', '-c', 'setsid node -e "$0" >/dev/null 2>&1 &', script])

    it('the nodes join, and run one job together in a shared folder', async () => {
      const script = 'hostname >/opt/shared/$(hostname); hostname'
      const output = await outputOf(cluster.head, 'srun', '-N2', 'sh', '-c', script)
      expect(output.split('\n').toSorted()).toEqual(['node1', 'node2'])
      expect(await outputOf(cluster.head, 'ls', '/opt/shared')).toContain('node1\nnode2')
      for (const node of nodes) expect(await outputOf(node, 'ls', '/opt/shared')).toContain('node1\nnode2')
    })

    it('root on a node can neither change shared configuration nor read root’s files on the head node', async () => {
      const [node] = nodes as [TestMachine]
      await cluster.head.run(['sh', '-c', 'umask 077; echo private >/srv/flotilla/private'])
      for (const script of [
        'echo x >>/srv/flotilla/hosts',
        'rm /srv/flotilla/slurm.conf',
        'cat /srv/flotilla/private',
        'echo x >/srv/flotilla-secrets/munge.key',
        'mv /srv/flotilla-inbox/nodes /srv/flotilla-inbox/others',
      ])
        expect((await node.run(['sh', '-c', script])).stderr, script).toMatch(/denied|Read-only/)
      const person = ['setpriv', '--reuid', 'nobody', '--clear-groups']
      for (const folder of ['/srv/flotilla-secrets', '/srv/flotilla-inbox/nodes'])
        expect((await node.run([...person, 'ls', folder])).stderr, folder).toMatch(/denied/)
      await cluster.head.run(['rm', '/srv/flotilla/private'])
    })

    it('a symlink that root on a node leaves does not expose files of the head node', async () => {
      const [node] = nodes as [TestMachine]
      const secret = 'evil,10.9.9.9 ssh-ed25519 AAAASECRET'
      await cluster.head.run(['sh', '-c', 'umask 077; cat >/root/keys'], { stdin: `${secret}\n` })
      await node.run(['ln', '-s', '/root/keys', '/srv/flotilla-inbox/hostkeys/evil'])
      await node.run([
        'sh',
        '-c',
        'echo "node9,10.9.9.9 ssh-ed25519 AAAAFINE" >/srv/flotilla-inbox/hostkeys/node9',
      ])
      await until(
        async () => (await cluster.head.run(['grep', 'AAAAFINE', '/srv/flotilla/known_hosts'])).code === 0,
      )
      expect((await cluster.head.run(['cat', '/srv/flotilla/known_hosts'])).stdout).not.toContain('SECRET')
    })

    it('a closed firewall admits the VPN, and forwards its clients to the nodes', async () => {
      const [node] = nodes as [TestMachine]
      const client = '10.9.0.7'
      const outside = '203.0.113.9'
      await cluster.onRouter(outside, [])
      const onRouter = async (...argv: string[]) => run(await cluster.onRouter(client, argv))
      // Packets of the client are routed through the head node.
      await onRouter('ip', 'rule', 'add', 'from', client, 'lookup', '100')
      const first = ['default', 'via', cluster.head.address, 'dev', 'port1', 'onlink', 'table', '100']
      await onRouter('ip', 'route', 'replace', ...first)
      await serve(
        cluster.head,
        `require('node:dgram').createSocket('udp4').on('message', function (text, from) { this.send(text, from.port, from.address) }).bind(1194)`,
      )
      await serve(node, `require('node:net').createServer((one) => one.end('inside')).listen(9000)`)
      const connectVpn = `const s = require('node:dgram').createSocket('udp4'); s.on('message', () => { console.log('in'); process.exit() }); s.bind(0, '${outside}'); setInterval(() => s.send('x', 1194, '${cluster.head.address}'), 100); setTimeout(() => process.exit(), 1500)`
      const connectNode = `require('node:net').connect({ port: 9000, host: '${node.address}', localAddress: '${client}' }).setTimeout(1500, () => process.exit()).on('error', () => process.exit()).pipe(process.stdout)`
      const results = async () => [
        (await onRouter(process.execPath, '-e', connectVpn)).trim(),
        await onRouter(process.execPath, '-e', connectNode),
      ]
      expect(await results()).toEqual(['', ''])
      const on = (what: string) => `. /usr/local/lib/flotilla/lib.sh; . "$lib/firewall.sh"; ${what}`
      await outputOf(
        cluster.head,
        'sh',
        '-ec',
        on(`echo 10.9.0.0/24 >"$etc/openvpn-network"; forward_vpn; forward_vpn`),
      )
      expect(await results()).toEqual(['in', 'inside'])
      await outputOf(cluster.head, 'sh', '-ec', on('stop_forwarding_vpn; rm "$etc/openvpn-network"'))
      expect(await results()).toEqual(['', ''])
    })

    it('only root can access the metadata service', async () => {
      for (const machine of [cluster.head, ...nodes]) expect(await answers(machine)).toEqual(forRoot)
      if (init !== 'systemd') return
      const [node] = nodes as [TestMachine]
      await node.shutDown()
      await node.powerOn()
      expect(await answers(node)).toEqual(forRoot)
    })

    const forRoot = { root: 'the join key', person: 'refused' }
    const answers = async (machine: TestMachine) => {
      const fetchMetadata = `fetch('http://${metadata}/').then((reply) => reply.text()).then(console.log, () => console.log('refused'))`
      const query = ['node', '-e', fetchMetadata]
      const person = ['setpriv', '--reuid', 'nobody', '--regid', 'nogroup', '--clear-groups', ...query]
      return { root: await outputOf(machine, ...query), person: await outputOf(machine, ...person) }
    }
  })
}
