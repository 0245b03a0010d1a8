import { afterAll, describe, expect, it } from 'vitest'
import { usages } from '@flotilla/contract/site/usage'
import { saveMachines } from './machines'
import { DAY, HOUR, START, job, openLedger, range } from '../../../test/support/app/usage'

const { server, boss, cluster, save } = await openLedger()
afterAll(() => server.close())

const as = (token: string) => ({ token })

describe('machines and disks', () => {
  const costs = (
    state: 'busy' | 'idle' | 'stopped',
    perHour: number | null,
    priced: number | null = null,
  ) => ({
    items: [
      ...(state === 'stopped' ? [] : [{ kind: 'machine' as const, name: 'n1', state, perHour }]),
      {
        kind: 'disk' as const,
        name: 'data',
        state: state === 'stopped' ? state : ('idle' as const),
        perHour: 0.1,
      },
    ],
    rates: [],
    sizeOf: new Map<string, string>(),
    pricedSince: priced,
  })
  const see = (clusterId: string, at: number, seen: ReturnType<typeof costs>) =>
    server.db.transaction((tx) =>
      saveMachines(tx, { clusterId, costs: seen, at: new Date(at), goneAt: new Date(at) }),
    )

  it('are counted as busy, idle and stopped, at the price that applied at the time', async () => {
    const id = await cluster()
    await see(id, START, costs('idle', 1))
    await see(id, START + 2 * HOUR, costs('busy', 1))
    await see(id, START + 2 * HOUR, costs('busy', 1))
    // The price was set half an hour before it was noticed.
    await see(id, START + 4 * HOUR, costs('busy', 3, START + 3.5 * HOUR))
    await see(id, START + 5 * HOUR, costs('stopped', 3))
    await see(id, START + 3 * DAY, { ...costs('stopped', null), items: [] })
    const at = range(START + HOUR, START + 2 * DAY)
    const nodes = await server.must(usages.details, { clusterId: id, ...at }, as(boss.token))
    expect(nodes).toMatchObject([
      { node: 'n1', kind: 'machine', upHours: 4, busyHours: 3, idleHours: 1, price: 1 + 1.5 + 4.5 },
      { node: 'data', kind: 'disk', upHours: 4, stoppedHours: 43, price: 4.7 },
    ])
    const found = (await server.must(usages.list, at, as(boss.token))).find(
      ({ clusterId }) => clusterId === id,
    )
    expect(found).toMatchObject({
      nodeHours: 4,
      busyNodeHours: 3,
      machinePrice: 7,
      diskPrice: 4.7,
      price: 11.7,
      costs: { busy: 6, idle: 1, stopped: 4.3, disks: 0.4 },
    })
  })

  it('have periods with their state and price, and the jobs that ran on them', async () => {
    const id = await cluster()
    await see(id, START, costs('idle', 1))
    await see(id, START + 2 * HOUR, costs('busy', 1))
    await see(id, START + 4 * HOUR, costs('busy', null))
    await see(id, START + 5 * HOUR, { ...costs('idle', null), items: [] })
    const periods = (kind: string, name: string, query = {}) =>
      server.must(
        usages.periods,
        { clusterId: id, kind, name, ...range(START + HOUR, START + DAY), query },
        as(boss.token),
      )
    const all = await periods('machine', 'n1')
    expect(all).toEqual([
      { state: 'busy', from: START + 4 * HOUR, to: START + 5 * HOUR, hours: 1, perHour: null, price: null },
      { state: 'busy', from: START + 2 * HOUR, to: START + 4 * HOUR, hours: 2, perHour: 1, price: 2 },
      { state: 'idle', from: START, to: START + 2 * HOUR, hours: 1, perHour: 1, price: 1 },
    ])
    expect(await periods('machine', 'n1', { limit: 2 })).toEqual(all.slice(0, 2))
    expect(await periods('disk', 'data')).toMatchObject([{ state: 'idle', hours: 4, price: 0.4 }])
    expect(await periods('disk', 'n1')).toEqual([])

    const lists = ['n1', 'n[1-2]', 'n[3,11-12],x1', 'm1,n1,o1', 'n[01-12]', 'xn1', 'n[2-9]', 'n1-ib']
    await save(
      id,
      ...lists.map((nodeList, index) =>
        job(`on ${nodeList}`, START + (index + 1) * HOUR, START + 10 * HOUR, { nodeList }),
      ),
    )
    const on = async (node: string) =>
      (
        await server.must(usages.jobs, { clusterId: id, node, ...range(START, START + DAY) }, as(boss.token))
      ).map(({ nativeId, userAccount }) => [nativeId, userAccount])
    expect(await on('n1')).toEqual([
      ['on m1,n1,o1', 'ext1'],
      ['on n[1-2]', 'ext1'],
      ['on n1', 'ext1'],
    ])
    expect((await on('n12')).map(([one]) => one)).toEqual(['on n[01-12]', 'on n[3,11-12],x1'])
    expect((await on('n01')).map(([one]) => one)).toEqual(['on n[01-12]'])
  })

  it('have no price if none is known', async () => {
    const id = await cluster()
    await see(id, START, costs('idle', null))
    await see(id, START + HOUR, { ...costs('idle', null), items: [] })
    const [node] = await server.must(
      usages.details,
      { clusterId: id, ...range(START, START + DAY) },
      as(boss.token),
    )
    expect(node).toMatchObject({ node: 'n1', upHours: 1, price: null })
  })
})
