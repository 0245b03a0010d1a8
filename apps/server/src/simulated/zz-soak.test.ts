import { expect, it } from 'vitest'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { providerIds } from '@flotilla/contract/config'
import { carriedOut, simulatedCluster } from '../../test/simulated-cluster'

it.each(providerIds)('random kills %s', async (provider) => {
  const { workspace, world, driver, write } = await simulatedCluster(provider, { pace: '1.5' })
  const tally: Record<string, number> = {}
  const sweep = async () => {
    for (let n = 0; n < 20; n++) {
      const known = new Set((await workspace.resources()).map((one) => String(one.values.id)))
      const leaked = (await driver.find('7')).filter((one) => !known.has(one.id))
      if (leaked.length === 0) return
      tally.leaked = (tally.leaked ?? 0) + leaked.length
      for (const one of leaked) await driver.remove(one, AbortSignal.timeout(5000)).catch(() => undefined)
    }
    throw new Error('cannot sweep ' + JSON.stringify((await driver.find('7')).map(x => x.id)))
  }
  await write()
  await workspace.init({})
  for (let round = 0; round < 6; round++) {
    const destroy = round % 3 === 2
    await write((input) => { for (const g of input.data.node.group) g.count = 1 + (round % 4) })
    await workspace.plan({ destroy }, {})
    const ended = workspace.apply({}).then(() => 'done', (e) => e.code as string)
    await sleep(150 + Math.random() * 3500)
    try {
      const [run] = readdirSync(path.join(workspace.folder, 'runs')).toSorted((a, b) => Number(b) - Number(a))
      const pid = Number(readFileSync(path.join(workspace.folder, 'runs', run ?? '', 'begun'), 'latin1').split('\n')[1]?.split(' ')[0])
      process.kill(pid, 'SIGKILL')
    } catch {}
    const how = await ended
    tally[how] = (tally[how] ?? 0) + 1
    await workspace.recover({}, {})
    if (how !== 'done') {
      await sweep()
      await carriedOut(workspace, { destroy })
    }
    const known = new Set((await workspace.resources()).map((one) => String(one.values.id)))
    for (const item of await world()) expect(known).toContain(item.id)
    expect(await workspace.plan({ destroy }, {})).toEqual({ changes: false })
  }
  await carriedOut(workspace, { destroy: true })
  expect(await world()).toEqual([])
  console.log(provider, JSON.stringify(tally))
}, 300_000)
