import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { CloudClusterInput } from '@flotilla/contract/clusters/cloud'
import { clusterOf, deploymentOf } from '../../../test/support/modules/deployment'
import { infrastructures } from '../../../test/support/modules/infrastructures'
import { carriedOut, simulatedCluster } from '../../../test/support/modules/simulated-cluster'
import type { ModuleOutputs } from '../provider'
import { secretVariables } from './module-parts'
import { isInside } from '../../modules/clusters/vpn/texts'
import { networksOf } from '../../modules/clusters/vpn/vpn'
import type { Deployed } from '../../modules/clusters/stored-cluster'

type Network = CloudClusterInput['data']['network']

/** What the simulated clouds report for an existing subnet. */
const clouds = {
  aws: {
    subnet: 'subnet-0given',
    given: '172.31.0.0/20',
  },
  azure: {
    subnet:
      '/subscriptions/s/resourceGroups/theirs/providers/Microsoft.Network/virtualNetworks/net/subnets/given',
    given: '10.0.0.0/20',
  },
  gcp: { subnet: 'given', given: '10.128.0.0/20' },
  oracle: {
    subnet: 'ocid1.subnet.oc1..given',
    given: '10.0.0.0/24',
  },
} as const

/**
 * Applies the module, and returns the user data of its machines: it is not marked as secret here, so that the simulated
 * cloud stores it.
 */
async function applied(provider: keyof typeof clouds, change: (network: Network) => void) {
  const { workspace, world } = await simulatedCluster(provider)
  const input = clusterOf(provider)
  change(input.data.network)
  const { module, variables } = infrastructures[provider]
  const deployment = deploymentOf(input)
  const open = structuredClone(module) as { variable: Record<string, { sensitive?: boolean }> }
  for (const variable of Object.values(open.variable)) delete variable.sensitive
  await workspace.write({
    module: open,
    variables: { ...variables(deployment), ...secretVariables(deployment) },
    secretVariables: {},
  })
  await workspace.init({})
  await carriedOut(workspace)
  const { head, nodes } = (await workspace.outputs()) as Pick<ModuleOutputs, 'head' | 'nodes'>
  const machines = (await world()).filter(({ kind }) => kind === 'machine')
  const texts = machines.map(({ attributes }) => unpacked(JSON.stringify(attributes)))
  return { networks: head.networks, texts, input, head, nodes }
}

const unpacked = (text: string) =>
  text.replaceAll(/"([A-Za-z0-9+/]{200,}=*)"/g, (_, packed: string) => {
    const bytes = Buffer.from(packed, 'base64')
    return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString()
  })
/** The content of /etc/flotilla/networks, in JSON that may be nested in JSON text. */
const rangesIn = (text: string) => /flotilla\/networks.{3,40}?content\W+([^"\\]*)/.exec(text)?.[1]

describe.each(Object.keys(clouds) as (keyof typeof clouds)[])('on %s', (provider) => {
  const { subnet, given } = clouds[provider]

  it('machines and the VPN get the range of an existing subnet', async () => {
    const { networks, texts, input, head, nodes } = await applied(provider, (one) => {
      one.subnet_id = subnet
      one.private_static_ip = given.replace(/0\/\d+$/, '40')
    })
    // All machines are in it, and the head node has the requested address.
    expect(head.private_ip).toBe(given.replace(/0\/\d+$/, '40'))
    for (const { private_ip } of Object.values(nodes)) expect(isInside([given], private_ip)).toBe(true)
    expect(networks).toEqual([given])
    expect(texts.map(rangesIn)).toEqual([given, given, given])
    const machines = [{ privateIp: given.replace(/0\/\d+$/, '9') }, { privateIp: head.private_ip }]
    const deployed = { networks, machines } as unknown as Deployed
    expect(networksOf({ provider, data: input.data }, deployed)[0]).toBe(given)
  })
})
