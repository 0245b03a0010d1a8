import { api } from '@flotilla/contract/api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { makeCloudCluster, untilState, world } from '../../../../../test/support/console/cloud'
import { Console } from '../../../../../test/support/console/console'
import { soaking, soakIt } from '../../../../../test/support/soak'

let console: Console
beforeAll(async () => {
  console = await Console.start({ env: { CLOUD: 'simulated' } })
})
afterAll(() => console.stop())

/** Nodes with a fast network, the further resources that their plan names, and the capacity of their size. */
type Fast = { group?: object; names: string[]; cores: number; memoryGb: number }
const fast: Record<ProviderId, Fast> = {
  aws: {
    group: { instance_id: 'hpc7a.12xlarge', efa: true },
    names: ['placement group node-1', 'launch template 2-adapters'],
    cores: 24,
    memoryGb: 768,
  },
  azure: {
    group: { instance_id: 'Standard_HC44rs' },
    names: ['availability set standard_hc44rs'],
    cores: 44,
    memoryGb: 352,
  },
  gcp: {
    group: { instance_id: 'c2-standard-30', compact: true, tier1: true },
    names: ['placement policy node-1'],
    cores: 30,
    memoryGb: 120,
  },
  oracle: {
    group: { instance_id: 'BM.GPU4.8', rdma: true },
    names: ['RDMA network node-1'],
    cores: 128,
    memoryGb: 2048,
  },
  // The capacity of the simulated site's machines.
  maas: { names: [], cores: 32, memoryGb: 128 },
}

test.each(providerIds)('a cluster on %s runs a job and leaves nothing behind', async (provider) => {
  const { group, names, cores, memoryGb } = fast[provider]
  // One provider gets the whole test; the soak runs it on all of them.
  const whole = soaking || provider === 'aws'
  const { id } = await makeCloudCluster(
    console,
    provider,
    group && { data: { node: { group: [{ count: 2, ...group }] } } },
  )
  await console.act(id, 'deploy', { onlyplan: true })
  await untilState(console, id, 'planned')
  const plan = await console.must(api.lifecycle.plan, { id }, { token: console.admin })
  expect(plan?.counts.add).toBeGreaterThan(2)
  expect(plan?.counts.destroy).toBe(0)
  expect(plan?.changes.map(({ what }) => what)).toEqual(expect.arrayContaining(['node node2', ...names]))
  expect(await world(console, provider)).toEqual([])
  expect(plan?.quota.slice(0, 2).map(({ what, state }) => `${what}: ${state}`)).toEqual([
    'Head node: enough',
    'Group 1: enough',
  ])

  await console.act(id, 'deploy')
  const deployed = await untilState(console, id, 'available')
  expect(deployed.machines.map(({ name }) => name)).toEqual(['head', 'node1', 'node2'])

  // Nodes have the memory of their size, not of this machine.
  const { rows } = await console.must(api.clusters.nodes, { id }, { token: console.admin })
  const memoryMb = memoryGb * 1024
  expect(rows).toMatchObject(['node1', 'node2'].map((name) => ({ name, cores, memoryMb })))

  const { availableSince } = deployed.info
  expect(availableSince).toBe(deployed.info.since)
  if (whole && provider !== 'maas') {
    // The address ranges are narrowed while it runs: only the rules for SSH and OpenVPN change.
    const data = {
      ...deployed.data,
      network: { ...deployed.data.network, allowed_ranges: ['203.0.113.0/24'] },
    }
    await console.must(
      api.clusters.update,
      { body: { ...deployed, data } as never },
      { token: console.admin },
    )
    await console.act(id, 'deploy', { onlyplan: true })
    const { info } = await untilState(console, id, 'available')
    // A plan does not restart it.
    expect(info.availableSince).toBe(availableSince)
    expect(info.since).toBeGreaterThan(availableSince ?? Infinity)
    const narrowed = await console.must(api.lifecycle.plan, { id }, { token: console.admin })
    expect(narrowed?.changes.length).toBeGreaterThan(0)
    expect(
      narrowed?.changes.filter(({ address }) => !/(_rule|_firewall)\.(ssh|vpn)\[/.test(address)),
    ).toEqual([])
  }

  const { id: submission } = await console.submit(id, { script: '#!/bin/sh\necho done' })
  const ended = await console.reached(submission, ['completed'])
  expect(ended.exitCode).toBe(0)

  if (whole) {
    await console.act(id, 'stop')
    const stopped = await untilState(console, id, 'stopped')
    expect(stopped.nodes).toMatchObject({ total: 2, offline: 2, available: 0 })
    expect(stopped.price?.parts.map(({ what }) => what)).not.toContain('head node')
    if (provider !== 'maas') {
      expect(stopped.price?.unpriced).toContain('public address of the head node')
      expect(new Set(deployed.machines.map(({ privateIp }) => privateIp)).size).toBe(3)
      expect(deployed.machines[0]?.publicIp).toMatch(/^198\.18\./)
    }
    expect(stopped.info.availableSince).toBeUndefined()
    await console.act(id, 'start')
    const again = await untilState(console, id, 'available')
    expect(again.info.availableSince).toBe(again.info.since)
  }

  await console.act(id, 'destroy')
  const gone = await untilState(console, id, 'destroyed')
  expect(gone.machines).toEqual([])
  expect(await world(console, provider)).toEqual([])
})

soakIt(
  'MAAS nodes without a shape have the cores that MAAS reports, and at least those requested',
  async () => {
    const { id } = await makeCloudCluster(console, 'maas', {
      name: 'Shapeless',
      data: { node: { group: [{ count: 1 }, { count: 1, ocpus: 40 }] } },
    })
    await console.act(id, 'deploy')
    const { machines, nodes, largestNode } = await untilState(console, id, 'available')
    expect(machines.map(({ cores }) => cores)).toEqual([32, 32, 64])
    expect(nodes).toMatchObject({ total: 2 })
    // The resource manager has the reported cores as well.
    expect(largestNode).toMatchObject({ cores: 64 })
    await console.act(id, 'destroy')
    await untilState(console, id, 'destroyed')
  },
)
