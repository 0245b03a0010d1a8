import { api } from '@flotilla/contract/api'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { setFaults, type FaultName } from '@flotilla/simulated-cloud/world/faults'
import { makeCloudCluster, untilState, world } from '../../../../../test/support/console/cloud'
import { Console } from '../../../../../test/support/console/console'
import { inSoak, soakIt } from '../../../../../test/support/soak'

/** `npm run soak` tests all five. */
const providers = process.env.FLOTILLA_PROVIDERS === 'all' ? providerIds : (['aws'] as const)

let server: Console
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated' } })
})
afterAll(() => server.stop())
const faults = (id: string, fault: FaultName, times = 1) =>
  setFaults(path.join(server.dataDir, 'simulated'), { [id]: { fault, times } })
beforeEach(() => setFaults(path.join(server.dataDir, 'simulated'), {}))

it('a quota that is too small is shown with the plan, for each group, and does not fail the plan', async () => {
  const { id } = await makeCloudCluster(server, 'aws', { count: 2 })
  const as = { token: server.admin }
  const file = path.join(server.dataDir, 'simulated', 'quotas.json')
  // The head node and each node have 2 vCPUs.
  await writeFile(file, JSON.stringify({ aws: { 'L-1216C47A': 5, 'L-F678F1CE': 0 } }))
  onTestFinished(() => rm(file))
  await server.act(id, 'deploy', { onlyplan: true })
  await untilState(server, id, 'planned')
  const { quota = [] } = (await server.must(api.lifecycle.plan, { id }, as)) ?? {}
  const standard = 'Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances'
  expect(quota.map(({ what, state, text }) => `${what}, ${state}: ${text}`)).toEqual([
    `Head node, enough: ${standard}: 2 vCPUs needed, 5 of 5 vCPUs free.`,
    `Group 1, short: 1 of 2 nodes would not fit. ${standard}: 6 vCPUs needed, 5 of 5 vCPUs free.`,
    'Public addresses, enough: EC2-VPC Elastic IPs: 2 addresses needed, 50 of 50 addresses free.',
    'Network, short: 1 of 1 network would not fit. VPCs per Region: 1 VPC needed, 0 of 0 VPCs free.',
  ])
  const log = await server.must(api.clusters.logs, { id, type: 'plan' }, as)
  expect(log.filter(({ text }) => text.includes('Quota: '))).toHaveLength(2)
  // The dialog of Deploy queries the quotas without a plan.
  expect(await server.must(api.lifecycle.quota, { id }, as)).toEqual(quota)
})

soakIt(
  'without a zone, Deploy takes the first one that offers every size, and Plan fails if none does',
  async () => {
    const file = path.join(server.dataDir, 'simulated', 'zones.json')
    onTestFinished(() => rm(file))
    const lacking = (zone: string, ...sizes: string[]) => [`us-east-1${zone}`, sizes]
    const missing = [lacking('a', 't3.large'), lacking('b', 'c5.large')]
    await writeFile(file, JSON.stringify(Object.fromEntries(missing)))
    const network = { region_id: 'us-east-1' }
    const node = { group: [{ count: 1, instance_id: 'c5.large' }] }
    const { id } = await makeCloudCluster(server, 'aws', { data: { network, node } })
    await server.act(id, 'deploy')
    await untilState(server, id, 'available')
    const zones = (await left('aws', id))
      .filter(({ type }) => type === 'aws_subnet')
      .map(({ attributes }) => attributes.availability_zone)
    expect([...new Set(zones)]).toEqual(['us-east-1c'])
    await server.act(id, 'destroy')
    await untilState(server, id, 'destroyed')

    const nowhere = ['a', 'b', 'c', 'd', 'e', 'f'].map((zone) => lacking(zone, 't3.large'))
    await writeFile(file, JSON.stringify(Object.fromEntries(nowhere)))
    await server.act(id, 'deploy', { onlyplan: true })
    const refused = CloudCluster.parse(await server.settled(id))
    expect(refused.info.cause).toContain(
      'No zone of us-east-1 offers all sizes: t3.large in none; c5.large in us-east-1a',
    )
  },
)

it('the terms of a marketplace image are accepted once, with consent, before anything is created', async () => {
  const { id } = await makeCloudCluster(server, 'azure', { count: 1, info: { 'os-type': 'rocky-9' } })
  const as = { token: server.admin }
  await server.act(id, 'deploy', { onlyplan: true })
  await untilState(server, id, 'planned')
  const planned = await server.must(api.lifecycle.plan, { id }, as)
  const name = 'resf:rockylinux-x86_64:9-base'
  const command = 'az vm image terms accept --publisher resf --offer rockylinux-x86_64 --plan 9-base'
  expect(planned?.terms).toEqual([{ name, accepted: false, link: '', command }])
  await server.act(id, 'deploy')
  expect((await untilState(server, id, 'failed')).info.cause).toContain(command)
  expect(await left('azure', id)).toEqual([])

  expect(await server.must(api.lifecycle.acceptTerms, { body: { id } }, as)).toEqual({ accepted: [name] })
  expect(await server.must(api.lifecycle.acceptTerms, { body: { id } }, as)).toEqual({ accepted: [] })
  const trail = await server.must(api.activities.list, {}, as)
  const noted = trail.filter(({ action }) => action === 'terms accepted')
  expect(noted.map(({ detail }) => detail)).toEqual([name])
  await server.act(id, 'deploy', { onlyplan: true })
  await server.settled(id)
  expect((await server.must(api.lifecycle.plan, { id }, as))?.terms).toEqual([])
})

/** Limits that leave room for the head node and one node, and how the cloud refuses the second. */
const tight: Record<ProviderId, [limits: Record<string, number>, refusal: RegExp]> = {
  aws: [{ 'L-1216C47A': 5 }, /VcpuLimitExceeded.*current vCPU limit of 5 /],
  azure: [
    { cores: 10 },
    /exceeding approved Total Regional Cores quota.*Current Limit: 10, Current Usage: 8, Additional Required: 4,/,
  ],
  gcp: [{ CPUS: 20 }, /Quota 'CPUS' exceeded\. {2}Limit: 20\.0 in region us-west1/],
  oracle: [{ 'standard-e4-core-count': 2 }, /LimitExceeded.*standard-e4-core-count/],
  maas: [{ all: 2 }, /No available machine matches/],
}

describe.each(providers)('on %s', (provider) => {
  it('a quota that the plan showed as too small is enforced, and Deploy completes when it is raised', async () => {
    const file = path.join(server.dataDir, 'simulated', 'quotas.json')
    const [limits, refusal] = tight[provider]
    await writeFile(file, JSON.stringify({ [provider]: limits }))
    onTestFinished(() => rm(file, { force: true }))
    const { id } = await makeCloudCluster(server, provider, { count: 2 })
    await server.act(id, 'deploy', { onlyplan: true })
    await untilState(server, id, 'planned')
    const plan = await server.must(api.lifecycle.plan, { id }, { token: server.admin })
    expect(plan?.quota.find(({ what }) => what === 'Group 1')?.state).toBe('short')
    await server.act(id, 'deploy')
    expect((await untilState(server, id, 'failed')).info.cause).toMatch(refusal)
    const machines = (await left(provider, id)).filter(({ kind }) => kind === 'machine')
    expect(machines).toHaveLength(2)
    await rm(file)
    await server.act(id, 'deploy')
    await untilState(server, id, 'available')
    await server.act(id, 'destroy')
    await untilState(server, id, 'destroyed')
    expect(await left(provider, id)).toEqual([])
  })

  it('each failure shows its reason, and another deploy completes the cluster', async () => {
    const { id } = await makeCloudCluster(server, provider, { count: 1 })
    for (const [fault, reason] of [
      // The test above already exceeds a quota, which fails the same way.
      ...inSoak([['quota', /quota|limit/i] as const]),
      ['badCredential', /credential/i],
      ['bootTimeout', /took too long/i],
    ] as const) {
      await faults(id, fault)
      await server.act(id, 'deploy')
      const failed = await untilState(server, id, 'failed')
      expect(failed.info.cause).toMatch(reason)
      // Its plan was applied in part and is no longer valid.
      expect(failed).toMatchObject({ hasPlan: false })
      // What was created so far is listed, even if its price is unknown.
      const exists = (await left(provider, id)).filter(({ part }) => !part).map((one) => one.id)
      const listed = (await resources(id)).map((one) => one.id)
      expect(exists.filter((one) => !listed.includes(one))).toEqual([])
      if (fault === 'bootTimeout') expect(listed).not.toEqual([])
    }
    await server.act(id, 'deploy')
    await untilState(server, id, 'available')
    await server.act(id, 'destroy')
    await untilState(server, id, 'destroyed')
    expect(await left(provider, id)).toEqual([])
  })

  it('capacity: each retry is shown, and the final error suggests other sizes and zones', async () => {
    const { id, data } = await makeCloudCluster(server, provider, { count: 1 })
    const size = data.node.group[0]?.instance_id || 'machines of this kind'
    // The third try succeeds.
    await faults(id, 'capacity', 2)
    await server.act(id, 'deploy')
    await untilState(server, id, 'available')
    const log = (await server.must(api.clusters.logs, { id, type: 'deploy' }, { token: server.admin })).map(
      ({ text }) => text,
    )
    const tries = log.filter((text) => text.includes(`has no capacity for ${size}`))
    expect(tries.map((text) => /, try (\d) of 4 in /.exec(text)?.[1])).toEqual(['2', '3'])
    // The provider's own retries, which no one sees, are kept few.
    if (provider === 'aws') expect(log.join('\n')).toContain('exceeded maximum number of attempts, 6,')
    await server.act(id, 'destroy')
    await untilState(server, id, 'destroyed')

    await faults(id, 'capacity', 4)
    await server.act(id, 'deploy')
    const failed = await untilState(server, id, 'failed')
    expect(failed.info.cause).toContain(`has no capacity for ${size}`)
    expect(failed.info.cause).toContain('Try again later, or choose another size')
    if (provider === 'aws')
      expect(failed.info.cause).toMatch(/such as .+ or .*To use another zone \(us-east-1b, /s)
    await server.act(id, 'deploy')
    await untilState(server, id, 'available')
    await server.act(id, 'destroy')
    await untilState(server, id, 'destroyed')
    expect(await left(provider, id)).toEqual([])
  })

  it('an engine that dies is restarted, a removed node is brought back, and leftovers are removed', async () => {
    const { id } = await makeCloudCluster(server, provider, { count: 1, data: disk(provider) })
    const machinesIn = async () => (await left(provider, id)).filter(({ kind }) => kind === 'machine')
    await faults(id, 'crash')
    await server.act(id, 'deploy')
    const { machines } = await untilState(server, id, 'available')
    expect(await machinesIn()).toHaveLength(machines.length)

    // A plan finds that someone removed a node.
    await faults(id, 'drift')
    await server.act(id, 'deploy', { onlyplan: true })
    expect(await untilState(server, id, 'available')).toMatchObject({ edited: false })
    expect(CloudCluster.parse(await server.cluster(id)).drift).toBeGreaterThan(0)
    await server.act(id, 'deploy')
    expect((await untilState(server, id, 'available')).drift).toBe(0)
    expect(await machinesIn()).toHaveLength(machines.length)

    await faults(id, 'leakedVolume')
    await server.act(id, 'destroy')
    const kept = await server.settled(id)
    // A cloud whose machines come with their disks has no separate disk to leak.
    if (provider !== 'maas') {
      expect(kept.info).toMatchObject({
        state: 'failed',
        cause: expect.stringContaining('still in the cloud'),
        failedAction: 'destroy',
      })
      // Removed machines are no longer shown; the remaining disk is, and only its price.
      expect(kept).toMatchObject({ machines: [], nodes: { total: 0 } })
      expect(await resources(id)).toMatchObject([{ kind: 'volume', sizeGb: 50 }])
      // On Google Cloud the leaked disk is the first one of all, which belongs to a node.
      if (provider !== 'gcp') expect(kept.price?.parts.map(({ what }) => what)).toEqual(['disk data, 50 GB'])
      await server.act(id, 'destroy', { resetingState: true })
    }
    await untilState(server, id, 'destroyed')
    expect(await left(provider, id)).toEqual([])
  })
})

/** The resources that the page lists. */
const resources = (id: string) => server.must(api.lifecycle.resources, { id }, { token: server.admin })

/** The cloud's resources of this cluster. */
const left = async (provider: ProviderId, id: string) =>
  (await world(server, provider)).filter(({ clusterId }) => clusterId === id)

const disk = (provider: string) =>
  provider === 'maas' ? {} : { disks: [{ name: 'data', size: 50, type: '' }] }
