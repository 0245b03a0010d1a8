import { describe, expect, it } from 'vitest'
import { providerIds } from '@flotilla/contract/site/config'
import { carriedOut, simulatedCluster } from '../../../../test/support/modules/simulated-cluster'

const address = expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/)

it('lets the agent on an Oracle bare metal machine attach its disks', async () => {
  const { workspace, world, write } = await simulatedCluster('oracle')
  await write((input) => (input.data.server.instance_id = 'BM.Standard3.64'))
  await workspace.init({})
  await carriedOut(workspace)
  const [head] = (await world()).filter(({ kind, name }) => kind === 'machine' && !name.startsWith('node'))
  expect(JSON.stringify(head?.attributes.agent_config)).toContain('Block Volume Management')
  const attachments = (await workspace.resources()).filter((one) => one.address.includes('attachment'))
  expect(attachments).toHaveLength(1)
})

describe.each(providerIds)('the module of %s on the simulated cloud', (provider) => {
  it('deploys, reports its resources, scales up and down, and is destroyed completely', async () => {
    const { workspace, world, write, destroy } = await simulatedCluster(provider)
    await write()
    await workspace.init({})
    await carriedOut(workspace)
    const outputs = await workspace.outputs()
    expect(outputs).toMatchObject({
      head: {
        id: expect.any(String),
        private_ip: address,
        networks: provider === 'maas' ? [] : ['10.77.0.0/16'],
      },
      nodes: {
        node1: { id: expect.any(String), private_ip: address },
        node2: { id: expect.any(String), private_ip: address },
      },
    })
    const items = await world()
    expect(items.filter((one) => one.kind === 'machine').length).toBe(3)
    expect(new Set(items.map((one) => one.clusterId))).toEqual(new Set(['7']))
    // No changes are planned, and no drift is found.
    expect(await workspace.plan({}, {})).toEqual({ changes: false })

    await write((input) => {
      for (const group of input.data.node.group) group.count = 3
    })
    const grown = await carriedOut(workspace)
    expect(grown.length).toBeGreaterThan(0)
    for (const change of grown) expect(change).toMatch(/^(create .*\["node3"\]|update )/)
    await write((input) => {
      for (const group of input.data.node.group) group.count = 1
    })
    const shrunk = (await carriedOut(workspace)).filter((change) => change.startsWith('delete'))
    for (const change of shrunk) expect(change).toMatch(/\["node[23]"\]$/)
    expect((await world()).filter((one) => one.kind === 'machine').length).toBe(2)

    await destroy()
    expect(await world()).toEqual([])
    expect(await workspace.resources()).toEqual([])
  })

  it('reports the range of the subnet that it creates in an existing network', async () => {
    if (provider === 'maas') return
    const { workspace, write } = await simulatedCluster(provider)
    await write((input) => (input.data.network.network_id = '/resourceGroups/theirs/virtualNetworks/given'))
    await workspace.init({})
    await carriedOut(workspace)
    const { head } = (await workspace.outputs()) as { head: { networks: string[]; private_ip: string } }
    const inside = { aws: /^172\.31\.\d+\.0\/22$/, gcp: /^10\.\d+\.0\.0\/20$/ }[provider as string]
    expect(head.networks).toEqual([expect.stringMatching(inside ?? /^10\.0\.\d+\.0\/22$/)])
  })

  it('assigns machines addresses in their subnets, and rejects addresses outside them', async () => {
    if (provider === 'maas') return
    const { workspace, write } = await simulatedCluster(provider)
    await write((input) => (input.data.network.private_static_ip = '192.168.9.9'))
    await workspace.init({})
    await workspace.plan({}, {})
    await expect(workspace.apply({})).rejects.toThrow(/192\.168\.9\.9/)
    await write()
    await carriedOut(workspace)
    const { head, nodes } = (await workspace.outputs()) as {
      head: { private_ip: string }
      nodes: Record<string, { private_ip: string }>
    }
    const half = provider === 'aws' || provider === 'oracle' ? /^10\.77\.128\./ : /^10\.77\.0\./
    expect(head.private_ip).toMatch(/^10\.77\.0\./)
    for (const node of Object.values(nodes)) expect(node.private_ip).toMatch(half)
  })

  it('supports private clusters and additional disks, as far as the provider does', async () => {
    const { workspace, world, write, destroy } = await simulatedCluster(provider)
    await write((input) => {
      input.data.server.isPrivate = provider !== 'maas'
      if (provider !== 'maas') input.data.disks.push({ name: 'scratch', size: 200, type: '', id: '' })
    })
    await workspace.init({})
    await carriedOut(workspace)
    const { head, disks } = (await workspace.outputs()) as { head: { public_ip: string }; disks: object }
    expect(head.public_ip).toBe('')
    expect(Object.keys(disks)).toEqual(provider === 'maas' ? [] : ['data', 'scratch'])
    expect((await world()).filter((one) => one.sizeGb === 200).length).toBe(provider === 'maas' ? 0 : 1)
    await destroy()
    expect(await world()).toEqual([])
  })
})
