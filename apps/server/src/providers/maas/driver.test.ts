import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { choicesOf } from '../../../test/support/clouds/account-choices'
import { API_KEY, startMaas, type FakeMaas } from '../../../test/support/clouds/maas'
import { removeAllFound } from '../../../test/support/clouds/remove-all'
import { explain } from '../explain'
import { cloudProviders } from '../registry'

const never = new AbortController().signal
let maas: FakeMaas
beforeEach(async () => {
  await maas?.close()
  maas = await startMaas()
  maas.erases = true
})
afterAll(() => maas.close())
const driverFor = (api_key = API_KEY, api_url = maas.url) =>
  cloudProviders.maas.driver({ credential: { api_url, api_key }, region: '', pollMs: 5 })

/** Tags machines as those of a cluster. */
function mark(cluster: string, ids: string[], more: object = { status_name: 'Deployed', owner: 'console' }) {
  maas.tags.push(`flotilla-${cluster}`)
  for (const machine of maas.machines.filter(({ system_id }) => ids.includes(system_id))) {
    machine.tag_names.push(`flotilla-${cluster}`)
    Object.assign(machine, { power_state: 'on', ...more })
  }
}
const byId = (id: string) => maas.machines.find(({ system_id }) => system_id === id)

describe('the identity of a key', () => {
  it('is reported, and whether it is an administrator', async () => {
    expect(await (await driverFor()).whoAmI()).toMatchObject({ account: 'console', missing: [] })
    maas.user.is_superuser = false
    expect((await (await driverFor()).whoAmI()).missing).toEqual([
      'administrator, to tag the machines of a cluster',
    ])
  })

  it('is not reported for invalid keys, which is explained', async () => {
    const explained = async (...where: [string, string?]) => {
      const error = await (await driverFor(...where)).whoAmI().catch((thrown: unknown) => thrown)
      return explain('ACM', error, String)
    }
    expect(await explained('a:b:c')).toMatchObject({ kind: 'refused' })
    expect(await explained('no key')).toMatchObject({ kind: 'refused' })
    expect(await explained(API_KEY, 'http://127.0.0.1:9/MAAS')).toMatchObject({ kind: 'unreachable' })
  })
})

describe('a cluster', () => {
  it('is found by its tag, as long as the machines are allocated to us', async () => {
    mark('first', ['sys1', 'sys2'])
    mark('second', ['sys3'])
    const found = await (await driverFor()).find('first')
    expect(found.map(({ type, id, clusterId }) => [type, id, clusterId])).toEqual([
      ['maas_instance', 'sys1', 'first'],
      ['maas_instance', 'sys2', 'first'],
      ['maas_tag', 'flotilla-first', 'first'],
    ])
    expect(await (await driverFor()).find(null)).toHaveLength(5)
    // The machines were released, and one was allocated to another user.
    Object.assign(byId('sys1') ?? {}, { owner: null, status_name: 'Ready' })
    Object.assign(byId('sys2') ?? {}, { owner: 'somebody' })
    expect((await (await driverFor()).find('first')).map(({ id }) => id)).toEqual(['flotilla-first'])
    // A machine with two clusters' tags belongs to neither, so that no one removes it.
    mark('third', ['sys3'])
    expect((await (await driverFor()).find(null)).map(({ id }) => id)).not.toContain('sys3')
  })

  it('is powered off and on', async () => {
    mark('first', ['sys1', 'sys2'])
    const driver = await driverFor()
    const states = () => ['sys1', 'sys2'].map((id) => byId(id)?.power_state)
    await driver.stop(['sys1', 'sys2'], never)
    expect(states()).toEqual(['off', 'off'])
    expect(maas.calls).toContain('POST /MAAS/api/2.0/machines/sys1/?op=power_off stop_mode=soft')
    await driver.start(['sys1', 'sys2'], never)
    expect(states()).toEqual(['on', 'on'])
    await expect(driver.stop(['nobody'], never)).rejects.toMatchObject({ status: 404 })
    await expect(driver.stop(['sys1'], AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is released without its tag, and missing resources count as removed', async () => {
    mark('first', ['sys1', 'sys2'])
    mark('second', ['sys3'])
    const driver = await driverFor()
    const found = await driver.find('first')
    await removeAllFound(driver, 'first')
    expect(byId('sys1')).toMatchObject({ status_name: 'Ready', owner: null, tag_names: ['compute'] })
    expect(maas.tags).toEqual(['compute', 'flotilla-second'])
    // In the meantime, one of them was allocated to another user.
    Object.assign(byId('sys1') ?? {}, { owner: 'somebody', status_name: 'Deployed' })
    for (const one of found) await driver.remove(one, never)
    expect(byId('sys1')).toMatchObject({ owner: 'somebody', status_name: 'Deployed' })
    expect(await driver.find('second')).toHaveLength(2)
  })
})

it('offers the zones that machines are in, and the subnets', async () => {
  const driver = await driverFor()
  expect(await choicesOf(driver, 'data.network.zone_name')).toEqual([
    { id: 'rack1', name: '', about: '5 machines, 3 ready' },
  ])
  maas.answer = ({ url }, response) => {
    if (!url?.endsWith('/subnets/')) return false
    const subnets = [{ cidr: '10.5.0.0/24', name: 'lab', space: 'research' }, { odd: true }]
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(subnets))
    return true
  }
  expect(await choicesOf(driver, 'data.network.subnet_id')).toEqual([
    { id: '10.5.0.0/24', name: 'lab', about: 'space research' },
  ])
})
