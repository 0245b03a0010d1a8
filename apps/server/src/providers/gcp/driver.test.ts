import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeGcpCluster, PROJECT, startGcp, type FakeGcp } from '../../../test/support/clouds/gcp'
import { removeAllFound } from '../../../test/support/clouds/remove-all'
import { pemOf, unknownRsaKey } from '../../../test/support/rsa-key'
import { explain } from '../explain'
import { cloudProviders } from '../registry'

const never = new AbortController().signal
let gcp: FakeGcp
beforeAll(async () => {
  gcp = await startGcp()
})
afterEach(() => {
  gcp.answer = null
  gcp.permissions = 'all'
  gcp.calls.length = 0
})
afterAll(() => gcp.close())
const driverFor = (credential: Record<string, string> = {}, region = 'us-west1') =>
  cloudProviders.gcp.driver({
    credential: { ...gcp.key, ...credential },
    region,
    endpoint: gcp.url,
    pollMs: 5,
  })

describe('the identity of a service account', () => {
  it('is reported with its permissions', async () => {
    const { account, missing, checked } = await (await driverFor()).whoAmI()
    expect(account).toBe(`${gcp.key.client_email} in the project ${PROJECT}`)
    expect(missing).toEqual([])
    expect(checked).toContain('compute.instances.create, to create machines')
  })

  it('is reported with the missing permissions', async () => {
    gcp.permissions = new Set(['compute.instances.start', 'compute.instances.stop'])
    const { missing, optional, checked } = await (await driverFor()).whoAmI()
    expect(optional).toEqual([
      'compute.regions.get, to check quotas',
      'compute.projects.get, to check quotas',
    ])
    expect(missing).toContain('compute.networks.create, to create networks')
    expect(missing).toHaveLength(checked.length - 4)
  })

  it('is reported without its permissions if the project does not reveal them', async () => {
    gcp.answer = (_method, url) =>
      url.host === 'cloudresourcemanager.googleapis.com' ? notTurnedOn('cloudresourcemanager') : undefined
    const { account, missing, checked } = await (await driverFor()).whoAmI()
    expect({ account, missing, checked }).toEqual({
      account: expect.stringContaining(PROJECT),
      missing: [],
      checked: [],
    })
  })

  it('is not reported without a valid signature, which is explained', async () => {
    const explained = async (credential: Record<string, string>) => {
      const attempt = async () => (await driverFor(credential)).whoAmI()
      const error = await attempt().catch((thrown: unknown) => thrown)
      return explain('Google Cloud', error, String)
    }
    expect(await explained({ private_key: pemOf(unknownRsaKey()) })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('Invalid JWT Signature'),
    })
    expect(await explained({ client_email: 'unknown@example.org' })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('account not found'),
    })
    expect(await explained({ private_key: 'no key' })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('BEGIN'),
    })
    expect(await explained({ project_id: 'another-project' })).toMatchObject({ kind: 'rights' })
    gcp.answer = (_method, url) =>
      url.host === 'compute.googleapis.com' ? notTurnedOn('compute') : undefined
    expect(await explained({})).toMatchObject({
      kind: 'rights',
      message: expect.stringContaining('has not been used in project'),
    })
    gcp.answer = (_method, url) =>
      url.host === 'oauth2.googleapis.com'
        ? {
            status: 400,
            body: {
              error: 'invalid_grant',
              error_description: 'Invalid JWT: Token must be a short-lived token (60 minutes)',
            },
          }
        : undefined
    expect(await explained({})).toMatchObject({ kind: 'clock' })
  })

  it('is not reported if the endpoint does not respond', async () => {
    const nowhere = await cloudProviders.gcp.driver({
      credential: gcp.key,
      region: '',
      endpoint: 'http://127.0.0.1:9',
    })
    const error = await nowhere.whoAmI().catch((thrown: unknown) => thrown)
    expect(explain('Google Cloud', error, String).kind).toBe('unreachable')
  })
})

const notTurnedOn = (service: string) => ({
  status: 403,
  body: {
    error: {
      code: 403,
      message: `${service} has not been used in project 1 before or it is disabled.`,
      status: 'PERMISSION_DENIED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'SERVICE_DISABLED' }],
    },
  },
})

describe('a cluster', () => {
  let made: ReturnType<typeof makeGcpCluster>
  beforeAll(() => {
    made = makeGcpCluster(gcp, 'first')
    makeGcpCluster(gcp, 'second')
    makeGcpCluster(gcp, 'third', 'europe-west4')
  })

  it('is found by its labels and descriptions, with the engine’s ids', async () => {
    const found = await (await driverFor()).find('first')
    const at = `projects/${PROJECT}`
    expect(found.map(({ type, id }) => `${type} ${id}`)).toEqual([
      `google_compute_instance ${at}/zones/us-west1-a/instances/first-head`,
      `google_compute_instance ${at}/zones/us-west1-a/instances/first-node1`,
      `google_compute_resource_policy ${at}/regions/us-west1/resourcePolicies/first-node-1`,
      `google_compute_disk ${at}/zones/us-west1-a/disks/first-disk-data`,
      `google_compute_disk ${at}/zones/us-west1-a/disks/first-head`,
      `google_compute_disk ${at}/zones/us-west1-a/disks/first-node1`,
      `google_compute_address ${at}/regions/us-west1/addresses/first-head`,
      `google_compute_router ${at}/regions/us-west1/routers/first`,
      `google_compute_subnetwork ${at}/regions/us-west1/subnetworks/first`,
      `google_compute_firewall ${at}/global/firewalls/first-ssh`,
      `google_compute_network ${at}/global/networks/first`,
    ])
    expect(found[0]).toMatchObject({ machine: { instance_id: 'n1-standard-8' }, region: 'us-west1' })
    expect(found[3]).toMatchObject({ id: made.disk, sizeGb: 100, diskType: 'pd-balanced' })
    expect(found.at(-1)).toMatchObject({ kind: 'network', region: 'global', clusterId: 'first' })
  })

  it('is found without disks that are deleted with their machines', async () => {
    const boot = gcp.things.get(made.machines[0] ?? '')?.disks?.[0]
    if (boot) boot.autoDelete = true
    const names = (await (await driverFor()).find('first')).map(({ type, name }) => `${type} ${name}`)
    expect(names).not.toContain('google_compute_disk first-head')
    expect(names).toContain('google_compute_disk first-node1')
    if (boot) boot.autoDelete = false
  })

  it('is found among all clusters, including global resources', async () => {
    const found = await (await driverFor()).find(null)
    expect(found.filter(({ clusterId }) => clusterId === 'second')).toHaveLength(11)
    expect(found.filter(({ clusterId }) => clusterId === 'third').map(({ region }) => region)).toEqual([
      'global',
      'global',
    ])
  })

  it('is stopped and started, also repeatedly', async () => {
    const driver = await driverFor()
    const states = () => made.machines.map((id) => gcp.things.get(id)?.status)
    for (const _time of [1, 2]) {
      await driver.stop(made.machines, never)
      expect(states()).toEqual(['TERMINATED', 'TERMINATED'])
    }
    for (const _time of [1, 2]) {
      await driver.start(made.machines, never)
      expect(states()).toEqual(['RUNNING', 'RUNNING'])
    }
    expect(gcp.calls.filter((call) => /\/(stop|start)/.test(call))).toHaveLength(4)
    await expect(driver.stop([`${made.machines[0]}-not`], never)).rejects.toMatchObject({ status: 404 })
    await expect(driver.stop(made.machines, AbortSignal.abort())).rejects.toThrow(/abort/)
  })

  it('fails with Google’s reason if it cannot be started', async () => {
    await (await driverFor()).stop(made.machines, never)
    gcp.answer = (_method, url) =>
      url.pathname.endsWith('/wait')
        ? {
            status: 200,
            body: {
              name: 'operation',
              status: 'DONE',
              httpErrorStatusCode: 503,
              error: { errors: [{ code: 'ZONE_RESOURCE_POOL_EXHAUSTED', message: 'The zone has no room.' }] },
            },
          }
        : undefined
    await expect((await driverFor()).start(made.machines, never)).rejects.toMatchObject({
      code: 'ZONE_RESOURCE_POOL_EXHAUSTED',
      message: 'The zone has no room.',
    })
  })

  it('can be removed one resource at a time, and missing resources count as removed', async () => {
    const driver = await driverFor()
    const found = await driver.find('first')
    const disk = found.find(({ id }) => id === made.disk)
    if (disk) await driver.remove(disk, never)
    expect(gcp.things.has(made.disk)).toBe(false)
    await removeAllFound(driver, 'first')
    expect([...gcp.things.keys()].filter((id) => id.includes('/first'))).toEqual([])
    for (const one of found) await driver.remove(one, never)
    expect(await driver.find('second')).toHaveLength(11)
  })
})
