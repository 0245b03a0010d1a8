import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeOracleCluster, startOracle, type FakeOracle } from '../../../test/support/clouds/oracle'
import { removeAllFound } from '../../../test/support/clouds/remove-all'
import { pemOf, unknownRsaKey } from '../../../test/support/rsa-key'
import { explain } from '../explain'
import { cloudProviders } from '../registry'

const never = new AbortController().signal
const region = 'us-ashburn-1'
let oracle: FakeOracle
beforeAll(async () => {
  oracle = await startOracle()
})
afterEach(() => {
  oracle.clockMs = 0
  oracle.hidden.clear()
  oracle.calls.length = 0
})
afterAll(() => oracle.close())
const driverFor = (credential: Record<string, string> = {}) =>
  cloudProviders.oracle.driver({
    credential: { ...oracle.key, ...credential },
    region,
    endpoint: oracle.url,
    pollMs: 5,
  })

it('looks up the tenancy’s name of an availability domain, which image builds need', async () => {
  const driver = await driverFor()
  expect(await driver.zoneName?.('US-ASHBURN-AD-2')).toBe('Uocm:US-ASHBURN-AD-2')
  expect(await driver.zoneName?.('Uocm:US-ASHBURN-AD-1')).toBe('Uocm:US-ASHBURN-AD-1')
  await expect(driver.zoneName?.('PHX-AD-1')).rejects.toThrow(
    'us-ashburn-1 has no availability domain PHX-AD-1. It has Uocm:US-ASHBURN-AD-1, Uocm:US-ASHBURN-AD-2.',
  )
})

describe('the identity of a key', () => {
  it('is reported with what it can read', async () => {
    const { account, missing, checked } = await (await driverFor()).whoAmI()
    expect(account).toBe('console in the compartment hpc')
    expect(missing).toEqual([])
    expect(checked).toContain('instance-family in the compartment, to create machines')
  })

  it('is reported with what it cannot read', async () => {
    oracle.hidden = new Set(['users', 'volumes', 'vcns', 'services'])
    const { account, missing, optional } = await (await driverFor()).whoAmI()
    expect(account).toBe('ocid1.user.oc1..console in the compartment hpc')
    expect(missing).toEqual([
      'volume-family in the compartment, to create disks',
      'virtual-network-family in the compartment, to create networks',
    ])
    expect(optional).toEqual(['inspect resource-availability in the compartment, to check quotas'])
    expect(
      (await (await driverFor({ compartment_ocid: 'ocid1.compartment.oc1..no' })).whoAmI()).missing,
    ).toContain('The compartment exists and is visible')
  })

  it('is not reported without a valid signature, which is explained', async () => {
    const explained = async (credential: Record<string, string>) => {
      const attempt = async () => (await driverFor(credential)).whoAmI()
      const error = await attempt().catch((thrown: unknown) => thrown)
      return explain('Oracle Cloud', error, String)
    }
    const wrongs: Record<string, string>[] = [
      { key_file: pemOf(unknownRsaKey()) },
      { key_file: pemOf(unknownRsaKey(), 'pkcs1') },
      { user_ocid: 'ocid1.user.oc1..nobody' },
      { fingerprint: '00:11' },
    ]
    for (const wrong of wrongs)
      expect(await explained(wrong)).toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('Signature'),
      })
    expect(await explained({ key_file: 'no key' })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('BEGIN'),
    })
    oracle.clockMs = 600_000
    expect(await explained({})).toMatchObject({ kind: 'clock' })
  })

  it('is not reported if the endpoint does not respond or the region is invalid', async () => {
    const nowhere = await cloudProviders.oracle.driver({
      credential: oracle.key,
      region,
      endpoint: 'http://127.0.0.1:9',
    })
    const error = await nowhere.whoAmI().catch((thrown: unknown) => thrown)
    expect(explain('Oracle Cloud', error, String).kind).toBe('unreachable')
    await expect(
      cloudProviders.oracle.driver({ credential: oracle.key, region: 'evil.example.org/#' }),
    ).rejects.toThrow('not an Oracle Cloud region')
  })
})

describe('a cluster', () => {
  let made: ReturnType<typeof makeOracleCluster>
  beforeAll(() => {
    made = makeOracleCluster(oracle, 'first')
    makeOracleCluster(oracle, 'second')
  })

  it('is found by its tag', async () => {
    const found = await (await driverFor()).find('first')
    expect(found.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'oci_core_instance first-head',
      'oci_core_instance first-node1',
      'oci_core_compute_cluster first-rdma',
      'oci_core_volume first-data',
      'oci_core_subnet first-subnet0',
      'oci_core_subnet first-subnet1',
      'oci_core_route_table first-public',
      'oci_core_route_table first-private',
      'oci_core_security_list first-network',
      'oci_core_network_security_group first-cluster',
      'oci_core_internet_gateway first-internet',
      'oci_core_nat_gateway first-nat',
      'oci_core_local_peering_gateway first-peering',
      'oci_core_vcn first-network',
    ])
    expect(found[0]).toMatchObject({
      id: made.machines[0],
      clusterId: 'first',
      region,
      machine: { instance_id: 'VM.Standard.E4.Flex', ocpus: 4, mem: 64 },
    })
    expect(found[3]).toMatchObject({ id: made.volume, sizeGb: 100, diskType: '10' })
    expect(await (await driverFor()).find(null)).toHaveLength(28)
  })

  it('is stopped and started, also repeatedly', async () => {
    const driver = await driverFor()
    const states = () => made.machines.map((id) => oracle.things.get(id)?.lifecycleState)
    for (const _time of [1, 2]) {
      await driver.stop(made.machines, never)
      expect(states()).toEqual(['STOPPED', 'STOPPED'])
    }
    for (const _time of [1, 2]) {
      await driver.start(made.machines, never)
      expect(states()).toEqual(['RUNNING', 'RUNNING'])
    }
    expect(oracle.calls.filter((call) => call.startsWith('POST'))).toHaveLength(4)
    await expect(driver.stop(['ocid1.instance.oc1.iad.no'], never)).rejects.toMatchObject({
      statusCode: 404,
      serviceCode: 'NotAuthorizedOrNotFound',
    })
    await expect(driver.stop(made.machines, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    })
  })

  it('can be removed one resource at a time, and missing resources count as removed', async () => {
    const driver = await driverFor()
    const found = await driver.find('first')
    const volume = found.find(({ kind }) => kind === 'volume')
    if (volume) await driver.remove(volume, never)
    expect(oracle.things.get(made.volume)?.lifecycleState).toBe('TERMINATED')
    const vcn = found.find(({ id }) => id === made.vcn)
    if (vcn) await expect(driver.remove(vcn, never)).rejects.toMatchObject({ serviceCode: 'Conflict' })
    await removeAllFound(driver, 'first')
    expect(await driver.find('first')).toEqual([])
    for (const one of found) await driver.remove(one, never)
    expect(await driver.find('second')).toHaveLength(14)
  })
})
