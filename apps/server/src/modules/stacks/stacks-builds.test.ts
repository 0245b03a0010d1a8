import { api } from '@flotilla/contract/api'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { setFaults } from '@flotilla/simulated-cloud/world/faults'
import { makeCloudCluster, untilState, world } from '../../../test/support/console/cloud'
import { Console } from '../../../test/support/console/console'
import { soakIt, variants } from '../../../test/support/soak'
import {
  build,
  buildRefused,
  cancelBuild,
  finalizeBuild,
  logLinesOf,
  logOf,
  makeStack,
  stackOf,
  untilStackState,
} from '../../../test/support/console/stack'
import { until } from '../../../test/support/until'

let server: Console
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: '0.3' } })
})
afterAll(() => server.stop())

const machines = async () => (await world(server, 'aws')).filter(({ kind }) => kind === 'machine')
const images = async () => (await world(server, 'aws')).filter(({ kind }) => kind === 'image')
/** The folders of builds on the console's disk. */
const folders = (id: string) => readdir(path.join(server.dataDir, 'stacks', id)).catch(() => [])

describe.each(variants(['aws', 'azure', 'gcp', 'oracle'] as const))('a stack on %s', (provider) => {
  it('is built, is logged, and its image exists in the cloud', async () => {
    const { id } = await makeStack(server, provider)
    await build(server, id)
    const built = await untilStackState(server, id, 'success')
    expect(built.images).toHaveLength(1)
    expect(built.images[0]).toMatchObject({ role: 'node', region: built.data.region_id })
    const found = (await world(server, provider)).find((item) => item.id === built.images[0]?.id)
    expect(found?.attributes).toMatchObject({ tags: { flotilla_stack: id } })
    const log = await logOf(server, id)
    expect(log).toContain('[simulated]')
    expect(log).toContain(`The image of the node machines is ${built.images[0]?.id}`)
    await until(async () => (await folders(id)).length === 0)
  })
})

soakIt(
  "a stack with a marketplace image is built once its terms are accepted, and its clusters have the image's plan",
  async () => {
    const as = { token: server.admin }
    const source = {
      source_image_publisher: 'almalinux',
      source_image_offer: 'almalinux-hpc',
      source_image_sku: '8_10-hpc-gen2',
    }
    const { id } = await makeStack(server, 'azure', { name: 'Alma', data: source })
    const name = 'almalinux:almalinux-hpc:8_10-hpc-gen2'
    await build(server, id)
    expect((await untilStackState(server, id, 'failed')).cause).toContain(
      `The terms of the image ${name} have not`,
    )
    expect((await world(server, 'azure')).filter(({ kind }) => kind === 'machine')).toEqual([])

    expect(await server.must(api.stacks.terms, { id }, as)).toMatchObject([{ name, accepted: false }])
    const accept = (names: string[]) => server.must(api.stacks.acceptTerms, { body: { id, names } }, as)
    // Terms cannot be accepted for an image that was not shown.
    await expect(accept(['resf:rockylinux-x86_64:9-base'])).rejects.toThrow('another image')
    expect(await accept([name])).toEqual({ accepted: [name] })
    expect(await accept([name])).toEqual({ accepted: [] })
    expect(await server.must(api.stacks.terms, { id }, as)).toEqual([])
    const trail = await server.must(api.activities.list, {}, as)
    expect(trail.filter(({ action }) => action === 'terms accepted').map(({ detail }) => detail)).toEqual([
      name,
    ])

    await build(server, id)
    await untilStackState(server, id, 'success')
    const cluster = await makeCloudCluster(server, 'azure', { count: 1 })
    await server.must(api.clusters.update, { body: { ...cluster, stack_id: id } as never }, as)
    await server.act(cluster.id, 'deploy')
    await untilState(server, cluster.id, 'available')
    const started = (await world(server, 'azure')).filter(({ kind }) => kind === 'machine')
    const plan = { publisher: 'almalinux', product: 'almalinux-hpc', name: '8_10-hpc-gen2' }
    expect(started.map(({ attributes }) => attributes.plan)).toEqual([[plan], [plan]])
    await server.act(cluster.id, 'destroy')
    await untilState(server, cluster.id, 'destroyed')
  },
)

it('a stack on MAAS uses an image that MAAS has', async () => {
  const reply = await server.must(api.acm.images, {}, { token: server.admin })
  const first = await makeStack(server, 'maas', { data: { source_image: 'none/such' } })
  await build(server, first.id)
  expect((await untilStackState(server, first.id, 'failed')).cause).toContain('none/such')
  const known = reply[0] ?? (await server.must(api.acm.images, {}, { token: server.admin }))[0]
  const stack = await makeStack(server, 'maas', { data: { source_image: known?.id ?? '' } })
  await build(server, stack.id)
  expect((await untilStackState(server, stack.id, 'success')).images).toMatchObject([{ id: known?.id }])
})

it("a stack shows whether its image was simulated, regardless of the console's current cloud", async () => {
  const built = await makeStack(server, 'maas', { data: { source_image: 'ubuntu/jammy' } })
  const unbuilt = await makeStack(server, 'maas')
  await build(server, built.id)
  await untilStackState(server, built.id, 'success')
  const { dataDir, databaseUrl } = server
  const real = await Console.start({ dataDir, databaseUrl })
  onTestFinished(() => real.kill('SIGTERM'))
  const simulatedOn = async (console: Console, { id }: { id: string }) =>
    (await stackOf(console, id)).simulated
  expect(await simulatedOn(real, built)).toBe(true)
  expect(await simulatedOn(real, unbuilt)).toBe(false)
  const record = (simulated: boolean | null) =>
    server.sql('update stack_images set simulated = $1 where stack_id = $2', [simulated, built.id])
  await record(false)
  expect(await simulatedOn(server, built)).toBe(false)
  // The image was built by a version that did not record it.
  await record(null)
  expect([await simulatedOn(server, built), await simulatedOn(real, built)]).toEqual([true, false])
})

soakIt(
  'a stack with a server provisioner builds one image for head nodes and one for the others, which clusters use',
  async () => {
    const files = {
      serverProvisioner: [['head.sh', 'echo head\n']] as [string, string][],
      dataFilesB: [['license.dat', 'x']] as [string, string][],
    }
    const { id } = await makeStack(server, 'aws', { files })
    await build(server, id)
    const built = await untilStackState(server, id, 'success')
    const [node, head] = ['node', 'server'].map((role) => built.images.find((image) => image.role === role))
    expect(node?.id).not.toBe(head?.id)
    const cluster = await makeCloudCluster(server, 'aws', { name: 'From a stack', count: 1 })
    const { data, info, name, provider, credential_id } = cluster
    const edited = { id: cluster.id, name, provider, credential_id: credential_id ?? '', stack_id: id }
    const change = { ...edited, data, info: { ...info } }
    await server.must(api.clusters.update, { body: change }, { token: server.admin })
    await server.act(cluster.id, 'deploy')
    await untilState(server, cluster.id, 'available')
    const used = (await machines())
      .filter(({ clusterId }) => clusterId === cluster.id)
      .map(({ attributes }) => attributes.ami)
    expect(used).toHaveLength(2)
    expect(used).toEqual(expect.arrayContaining([node?.id, head?.id]))
    expect((await stackOf(server, id)).usedBy).toBe(1)
    const removal = await server.refused(
      api.stacks.remove,
      { id, query: { provider: 'aws' } },
      { token: server.admin, admin: true },
    )
    expect(removal).toMatchObject({ status: 409, code: 'in_use' })
    await server.act(cluster.id, 'destroy')
    await untilState(server, cluster.id, 'destroyed')
  },
)

soakIt(
  'a build that waits for manual changes stays open until it is finalized, even across a restart of the console',
  async () => {
    const { id } = await makeStack(server, 'aws', { data: { customize_image: true } })
    expect((await buildRefused(server, 'finalizeBuild', id)).status).toBe(409)
    await build(server, id)
    const open = await untilStackState(server, id, 'customize')
    expect(open.open?.machines).toMatchObject([{ role: 'node', username: 'admin' }])
    expect(open.open?.machines[0]?.host).toMatch(/^198\.18\./)
    expect((await machines()).some(({ clusterId }) => clusterId === id)).toBe(true)
    const found = await server.must(api.leftovers.search, { body: {} }, { token: server.admin })
    expect(JSON.stringify(found)).not.toContain(id)
    await server.kill()
    await server.run()
    expect((await stackOf(server, id)).state).toBe('customize')
    expect((await buildRefused(server, 'build', id)).status).toBe(409)
    await finalizeBuild(server, id)
    const built = await untilStackState(server, id, 'success')
    expect(built).toMatchObject({ open: null, cause: null })
    expect((await machines()).some(({ clusterId }) => clusterId === id)).toBe(false)
  },
)

soakIt('a build that waits for manual changes can be canceled and leaves nothing behind', async () => {
  const { id } = await makeStack(server, 'aws', { data: { customize_image: true } })
  await build(server, id)
  await untilStackState(server, id, 'customize')
  const before = (await images()).length
  await cancelBuild(server, id)
  expect(await untilStackState(server, id, 'failed')).toMatchObject({
    cause: 'Canceled',
    canceled: true,
  })
  expect((await machines()).some(({ clusterId }) => clusterId === id)).toBe(false)
  expect(await images()).toHaveLength(before)
  await until(async () => (await folders(id)).length === 0)
})

describe('a build that fails', () => {
  const dir = () => path.join(server.dataDir, 'simulated')
  const built = async (fault: Parameters<typeof setFaults>[1][string]['fault']) => {
    const { id } = await makeStack(server, 'aws')
    await setFaults(dir(), { [id]: { fault, times: 1 } })
    await build(server, id)
    return untilStackState(server, id, 'failed')
  }
  const faults = [
    ['capacity', /no capacity/],
    ['quota', /quota/i],
    ['badCredential', /rejected the credential/],
    ['bootTimeout', /SSH/],
    ['crash', /killed/],
  ] as const
  it.each(variants(faults))(
    'because of %s reports it, leaves nothing behind and can be retried',
    async (fault, cause) => {
      const stack = await built(fault)
      expect(stack.cause).toMatch(cause)
      const lines = await logLinesOf(server, stack.id)
      expect(lines.find(({ text }) => text === `Failed: ${stack.cause}`)?.level).toBe('error')
      expect(lines[0]?.level).toBe('info')
      expect((await machines()).some(({ clusterId }) => clusterId === stack.id)).toBe(false)
      await build(server, stack.id)
      await untilStackState(server, stack.id, 'success')
    },
  )
})

soakIt('a build continues after kill -9 of the console, without duplicate lines in its log', async () => {
  const { id } = await makeStack(server, 'aws')
  await build(server, id)
  await until(async () => (await logOf(server, id)).includes('Launching'))
  await server.kill()
  await server.run()
  await untilStackState(server, id, 'success')
  const log = await logOf(server, id)
  for (const line of ['Launching', 'Creating the image']) expect(log.split(line)).toHaveLength(2)
})

it('a running build can be canceled', async () => {
  const { id } = await makeStack(server, 'aws')
  await setFaults(path.join(server.dataDir, 'simulated'), { [id]: { fault: 'slow' } })
  await build(server, id)
  await until(async () => (await logOf(server, id)).includes('Launching'))
  await cancelBuild(server, id)
  expect(await untilStackState(server, id, 'failed')).toMatchObject({ cause: 'Canceled', canceled: true })
  expect((await machines()).some(({ clusterId }) => clusterId === id)).toBe(false)
})
