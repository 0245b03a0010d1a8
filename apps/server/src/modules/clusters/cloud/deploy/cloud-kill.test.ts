import { api } from '@flotilla/contract/api'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CloudCluster } from '@flotilla/contract/clusters/entity'
import { providerIds } from '@flotilla/contract/site/config'
import { makeCloudCluster, world } from '../../../../../test/support/console/cloud'
import { Console } from '../../../../../test/support/console/console'

/** `npm run soak` sets it to 50. */
const KILLS = Number(process.env.FLOTILLA_KILLS ?? 3)
/** Slow enough that a kill hits every phase. */
const PACE = '0.3'

let server: Console
beforeAll(async () => {
  server = await Console.start({ env: { CLOUD: 'simulated', SIMULATED_CLOUD_PACE: PACE } })
})
afterAll(() => server.stop())

/** Kills the server, or an engine that it started. */
async function killSomething(): Promise<void> {
  if (randomInt(2) === 0) {
    await server.kill()
    await server.run()
  } else await server.killEngine()
}

test(
  `kill -9 at ${KILLS} random moments leaves no cluster stuck and nothing in the cloud`,
  { timeout: 120_000 + KILLS * 60_000 },
  async () => {
    for (let round = 0, kills = 0; kills < KILLS; round++) {
      const provider = providerIds[round % providerIds.length] ?? 'aws'
      const { id } = await makeCloudCluster(server, provider, { name: `Killed ${round}`, count: 2 })
      const actions = [
        () => server.act(id, 'deploy'),
        () =>
          server.must(
            api.lifecycle.destroyNode,
            { body: { cluster: id, nodes: ['node2'] } },
            { token: server.admin },
          ),
        () => server.act(id, 'destroy'),
      ]
      for (const [index, action] of actions.entries()) {
        const { info } = await server.settled(id)
        // Retries what failed with a cause, as a user would.
        if (index > 0 && info.state === 'failed' && index < 2)
          await server.act(id, 'deploy').then(() => server.settled(id))
        await action()
        if (kills++ < KILLS) {
          await sleep(randomInt(20, 2500))
          await killSomething()
        }
        await server.settled(id)
      }
      const last = CloudCluster.parse(await server.settled(id))
      if (last.info.state !== 'destroyed') {
        expect(last.info.cause).not.toBeNull()
        await server.act(id, 'destroy', { resetingState: true })
      }
      expect(await server.settled(id)).toMatchObject({ info: { state: 'destroyed' } })
      expect(await world(server, provider)).toEqual([])
    }
  },
)
