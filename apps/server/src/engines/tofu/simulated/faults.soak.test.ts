import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { providerIds, type ProviderId } from '@flotilla/contract/site/config'
import { begins, listener, reasonOf } from '../../../../test/support/behaviors/engines/subject'
import { carriedOut, simulatedCluster } from '../../../../test/support/modules/simulated-cluster'

async function ready(provider: ProviderId, options = {}) {
  const cluster = await simulatedCluster(provider, options)
  await cluster.write()
  await cluster.workspace.init({})
  return cluster
}

const ids = (items: { id: string }[]) => items.map((one) => one.id).toSorted()

describe.each(providerIds)('simulated faults of %s', (provider) => {
  it.each(['quota', 'capacity'] as const)(
    '%s: is reported, existing resources are kept, and the next attempt completes them',
    async (fault) => {
      const { workspace, faults, world } = await ready(provider)
      await faults({ '7': { fault, times: 1 } })
      await workspace.plan({}, {})
      await expect(workspace.apply({})).rejects.toMatchObject({ code: fault })
      const known = new Set((await workspace.resources()).map((one) => one.values.id))
      for (const item of await world()) expect(known).toContain(item.id)
      await carriedOut(workspace)
      expect((await world()).filter((one) => one.kind === 'machine').length).toBe(3)
    },
  )

  it('badCredential: is reported before anything is created', async () => {
    const { workspace, faults, world, driver } = await ready(provider)
    await faults({ '*': { fault: 'badCredential', times: 2 } })
    await expect(workspace.plan({}, {})).rejects.toMatchObject({ code: 'badCredential' })
    await expect(driver.whoAmI()).rejects.toThrow(/\w/)
    expect(await driver.whoAmI()).toMatchObject({ missing: [] })
    expect(await world()).toEqual([])
  })

  it('bootTimeout: the machine exists, and is recreated', async () => {
    const { workspace, faults } = await ready(provider)
    await faults({ '7': { fault: 'bootTimeout', times: 1 } })
    await workspace.plan({}, {})
    await expect(workspace.apply({})).rejects.toMatchObject({ code: 'timeout' })
    const changes = await carriedOut(workspace)
    expect(changes.filter((change) => change.startsWith('replace')).length).toBe(1)
  })

  it('crash: unrecorded resources are found by their tag, and the cluster can be deployed', async () => {
    const { workspace, faults, world, driver, destroy } = await ready(provider)
    await faults({ '7': { fault: 'crash', times: 1 } })
    await workspace.plan({}, {})
    await expect(workspace.apply({})).rejects.toMatchObject({ code: 'killed' })
    expect(await workspace.recover({}, {})).toMatchObject({ ending: 'none' })
    expect(await workspace.resources()).toEqual([])
    const leaked = await driver.find('7')
    expect(leaked.length).toBeGreaterThan(0)
    expect(ids(leaked)).toEqual(ids(await world()))

    // Machines and the like are removed first; the resources that contain them can only be removed after them.
    for (let left = leaked; left.length > 0; left = await driver.find('7')) {
      const before = left.length
      for (const one of left) await driver.remove(one, AbortSignal.timeout(10_000)).catch(() => undefined)
      expect((await driver.find('7')).length).toBeLessThan(before)
    }
    await carriedOut(workspace)
    expect((await world()).filter((one) => one.kind === 'machine').length).toBe(3)
    await destroy()
    expect(await world()).toEqual([])
  })

  it('drift: the plan recreates a node that was removed manually', async () => {
    const { workspace, faults, world } = await ready(provider)
    await carriedOut(workspace)
    await faults({ '7': { fault: 'drift', times: 1 } })
    const events = listener()
    expect(await workspace.plan({}, events)).toEqual({ changes: true })
    expect(events.texts()).toContain('Drift detected')
    expect(
      (await workspace.showPlan()).filter((one) => one.action === 'create').map((one) => one.key),
    ).toContain('node1')
    await workspace.apply({})
    expect((await world()).filter((one) => one.kind === 'machine').length).toBe(3)
  })

  it('stateLost: the state is restored', async () => {
    const { workspace, faults } = await ready(provider)
    await faults({ '7': { fault: 'stateLost', times: 1 } })
    await workspace.plan({}, {})
    await expect(workspace.apply({})).rejects.toMatchObject({ code: 'failed' })
    expect(existsSync(path.join(workspace.folder, 'errored.tfstate'))).toBe(false)
    expect(await workspace.resources()).not.toEqual([])
    expect(await workspace.plan({}, {})).toEqual({ changes: false })
  })
})

describe('faults of disks and time', () => {
  it('stateLost while no server is running: the state is restored afterward', async () => {
    const { workspace, faults } = await ready('aws', { pace: '0.2' })
    await faults({ '7': { fault: 'stateLost', times: 1 } })
    await workspace.plan({}, {})
    const events = listener()
    const detach = new AbortController()
    const left = reasonOf(workspace.apply({ ...events, detach: detach.signal }))
    await events.until(begins('aws_instance.head'))
    detach.abort()
    expect(await left).toMatchObject({ code: 'detached' })
    expect(await workspace.recover({}, {})).toMatchObject({
      ending: 'failed',
      statePushed: true,
      refreshed: true,
    })
    expect(await workspace.plan({}, {})).toEqual({ changes: false })
  })

  it('leakedVolume: the remaining disk is found', async () => {
    const { workspace, faults, world, driver, destroy } = await ready('aws')
    await carriedOut(workspace)
    await faults({ '7': { fault: 'leakedVolume', times: 1 } })
    await destroy()
    expect(await workspace.resources()).toEqual([])
    const [left, ...more] = await driver.find('7')
    expect(more).toEqual([])
    expect(left).toMatchObject({ kind: 'volume', sizeGb: 100, clusterId: '7' })
    if (left) await driver.remove(left, AbortSignal.timeout(10_000))
    expect(await world()).toEqual([])
  })

  it('slow: can be canceled halfway, and the created resources are in the state', async () => {
    const { workspace, faults, world, destroy } = await ready('aws', { pace: '0.2' })
    await faults({ '7': { fault: 'slow', times: 2 } })
    await workspace.plan({}, {})
    const events = listener()
    const cancel = new AbortController()
    const refusal = reasonOf(workspace.apply({ ...events, cancel: cancel.signal }))
    await events.until(begins('aws_instance.head'))
    cancel.abort()
    expect(await refusal).toMatchObject({ code: 'canceled' })
    const known = new Set((await workspace.resources()).map((one) => one.values.id))
    for (const item of await world()) expect(known).toContain(item.id)
    await destroy()
    expect(await world()).toEqual([])
  })

  it('power: machines stop and start without a planned change', async () => {
    const { workspace, world, driver } = await ready('aws')
    await carriedOut(workspace)
    const machines = (await driver.find('7')).filter((one) => one.kind === 'machine').map((one) => one.id)
    const power = async () => (await world()).flatMap((one) => one.power ?? [])
    await driver.stop(machines, AbortSignal.timeout(10_000))
    expect(await power()).toEqual(['stopped', 'stopped', 'stopped'])
    expect(await workspace.plan({}, {})).toEqual({ changes: false })
    await driver.start(machines, AbortSignal.timeout(10_000))
    expect(await power()).toEqual(['running', 'running', 'running'])
    await expect(driver.stop(['i-nowhere'], AbortSignal.timeout(10_000))).rejects.toThrow('No machine')
  })
})
